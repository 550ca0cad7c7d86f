//! Bytes of strangers: every fault has its own sentence, and whatever comes, nothing panics.

#[path = "loader/allocations.rs"]
mod allocations;
#[path = "loader/checkpoints.rs"]
mod checkpoints;
#[path = "loader/descriptions.rs"]
mod descriptions;
#[path = "../fuzz/src/csv.rs"]
mod fuzz_csv;
#[path = "../fuzz/src/model.rs"]
mod fuzz_model;
#[path = "loader/fuzzed.rs"]
mod fuzzed;
#[path = "loader/hostile.rs"]
mod hostile;
#[path = "loader/hub.rs"]
mod hub;
#[path = "loader/laws.rs"]
mod laws;
#[path = "loader/looking.rs"]
mod looking;
#[path = "loader/mutations.rs"]
mod mutations;
#[path = "loader/order.rs"]
mod order;
#[path = "loader/places.rs"]
mod places;
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
#[path = "loader/survive.rs"]
mod survive;
#[path = "loader/vocabulary.rs"]
mod vocabulary;
