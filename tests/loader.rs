//! Bytes of strangers: every fault has its own sentence, and whatever comes, nothing panics.

#[path = "loader/allocations.rs"]
mod allocations;
#[path = "loader/checkpoints.rs"]
mod checkpoints;
#[path = "loader/descriptions.rs"]
mod descriptions;
#[path = "loader/hostile.rs"]
mod hostile;
#[path = "loader/hub.rs"]
mod hub;
#[path = "loader/laws.rs"]
mod laws;
#[path = "loader/looking.rs"]
mod looking;
#[path = "loader/order.rs"]
mod order;
#[path = "loader/safetensors_file.rs"]
mod safetensors_file;
#[path = "loader/server.rs"]
mod server;
#[path = "loader/servers.rs"]
mod servers;
#[path = "loader/shards.rs"]
mod shards;
#[path = "loader/store.rs"]
mod store;
#[path = "loader/vocabulary.rs"]
mod vocabulary;
