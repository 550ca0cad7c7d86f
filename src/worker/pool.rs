//! The coordinator's view of its members.

use std::rc::Rc;

use futures::future::try_join_all;
use js_sys::ArrayBuffer;

use super::{
    failure::Failure,
    messages::{Answer, Ask},
    thread::{OnTheWay, Said, Thread},
};
use crate::{
    arch::tensor_reader::TensorReader,
    backend::{
        choose::Wanted,
        cpu::{FUSED, is_cpu},
    },
    protocol::Profile,
    report::labels::OUR_FAULT,
};

/// Hears how many of how many steps of opening a device are done.
pub type Opening = Rc<dyn Fn(usize, usize)>;

/// Beyond this many members memory grows and speed does not.
pub const MOST_MEMBERS: usize = 8;

/// What a member's failure is called: a sentence for the person, or the silence after a Cancel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PoolError {
    /// Said by the member.
    Failed(String),
    /// The member's device is gone or has no memory left; what it was asked can be asked of another.
    Lost(String),
    /// The member itself is gone, as a clause; what it was asked can be asked of another.
    Died(String),
    /// The run is no longer wanted.
    Cancelled,
}

/// What can be done where a worker is one too many.
pub(super) const FEWER: &str = "Close other tabs and try again; if it happens again, open the page with #/?workers=1 at the end of its \
                     address, which takes the least memory.";

/// A member's failure, and what can be done about it.
pub(super) fn failed(clause: String, step: &str) -> PoolError {
    PoolError::Failed(Failure::told(clause, step).sentence())
}

/// Members in a row. Dropping it ends them.
pub struct Pool {
    members: Vec<Rc<Thread>>,
    backend: String,
    why: String,
}

impl Pool {
    /// Starts members: one where that one opens a GPU, else `size` side by side. `opening` hears how far a device is, `again`
    /// reads tensors that members do not hold.
    pub async fn spawn(
        size: usize,
        wanted: Wanted,
        profile: bool,
        opening: Opening,
        reader: TensorReader,
    ) -> Result<Pool, PoolError> {
        let on_the_way: OnTheWay = Rc::new(move |said| {
            if let Answer::Opening { done, total } = said {
                opening(done, total);
            }
        });
        let spawn = async || {
            let member = Rc::new(Thread::spawn(on_the_way.clone(), reader.clone()).await?);
            member.watch();
            Ok::<_, PoolError>(member)
        };
        let first = spawn().await?;
        let (backend, why) = match first.ask(Ask::Open { wanted, profile }, Vec::new()).await? {
            Said::Opened { backend, why } => (backend, why),
            other => return Err(failed(format!("a worker opened no device and said {other:?}"), OUR_FAULT)),
        };
        let more = if is_cpu(&backend) { size - 1 } else { 0 };
        let others = try_join_all((0..more).map(|_| spawn())).await?;
        if backend == FUSED {
            let open = || Ask::Open { wanted: Wanted::Fused, profile };
            try_join_all(others.iter().map(|member| member.ask(open(), Vec::new()))).await?;
        }
        Ok(Pool { members: [first].into_iter().chain(others).collect(), backend, why })
    }

    /// `cpu`, `fused` or `webgpu`.
    pub fn backend(&self) -> &str {
        &self.backend
    }

    /// Why this one.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Where the time of the first member went since this was last asked.
    pub async fn profile(&self) -> Result<Profile, PoolError> {
        match self.members[0].ask(Ask::Profile, Vec::new()).await? {
            Said::Profiled(profile) => Ok(profile),
            other => Err(failed(format!("a worker was asked for times and said {other:?}"), OUR_FAULT)),
        }
    }

    /// Members.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// Whether every member can still be asked.
    pub fn alive(&self) -> bool {
        self.members.iter().all(|member| member.alive())
    }

    /// Forgets all that was asked.
    pub fn cancel(&self) {
        self.members.iter().for_each(|member| member.cancel());
    }

    /// Members are about to compute with a model of so many parameters.
    pub fn expect(&self, parameters: u64) {
        self.members.iter().for_each(|member| member.expect(parameters));
    }

    /// The same to every member. `buffer` makes the transferred copy for each.
    pub fn ask_all(
        &self,
        body: impl Fn() -> Ask,
        buffer: impl Fn() -> Vec<ArrayBuffer>,
    ) -> impl Future<Output = Result<(), PoolError>> + 'static {
        let answers: Vec<_> = self.members.iter().map(|member| member.ask(body(), buffer())).collect();
        async { try_join_all(answers).await.map(|_| ()) }
    }

    /// A tensor's values in full precision, from the first member.
    pub fn read(&self, name: String) -> impl Future<Output = Result<Vec<f32>, PoolError>> + 'static {
        let answer = self.members[0].ask(Ask::Read { name }, Vec::new());
        async {
            match answer.await? {
                Said::Values(values) => Ok(values),
                other => Err(failed(format!("a worker was asked for values and said {other:?}"), OUR_FAULT)),
            }
        }
    }

    /// Asks one member; what it answers with is numbers.
    pub fn ask(&self, member: usize, body: Ask) -> impl Future<Output = Result<Vec<f64>, PoolError>> + 'static {
        let answer = self.members[member].ask(body, Vec::new());
        async {
            match answer.await? {
                Said::Figures(figures) => Ok(figures),
                other => Err(PoolError::Failed(format!("a worker was asked for figures and said {other:?}"))),
            }
        }
    }
}
