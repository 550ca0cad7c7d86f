//! A model that makes room for the next, and comes back where that one does not come.

use std::rc::Rc;

use super::replicas::{Former, Replicas};
use crate::protocol::How;

/// The model that was there before the one on its way. Dropped by a load that fails or is cancelled, it puts the model back: what
/// lies with members is read again, from where it came, when it is needed.
pub struct Leaving {
    replicas: Rc<Replicas>,
    before: Option<Former>,
    /// Whether members held it.
    seated: bool,
}

impl Leaving {
    /// From here on there is room for the next. A model that the coordinator holds itself, as it does beside a GPU, does not come back:
    /// two of them may be more than a program can address.
    pub fn begin(replicas: &Rc<Replicas>) -> Leaving {
        let before = replicas.empty();
        let seated = before.model.is_some() && before.how != How::Weights;
        let small = before.model.as_ref().is_some_and(|model| !model.device.holds_all());
        Leaving { replicas: replicas.clone(), before: small.then_some(before), seated }
    }

    /// The members that hold it leave too.
    pub fn with_members(&self) {
        if self.seated {
            self.replicas.dismiss();
        }
    }

    /// The next one has come.
    pub fn for_good(mut self) {
        self.before.take();
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            self.replicas.fill(before);
        }
    }
}
