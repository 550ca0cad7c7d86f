//! Which weights a chart is of, as a choice.

use leptos::prelude::*;

use super::select::{ShownPart, offers};
use crate::report::{Part, scope::Scope};

/// A select of layers and matrices, with the whole model where it is offered.
#[component]
pub fn ScopeSelect(
    /// Id of the select.
    id: &'static str,
    /// Weight matrices of the model: layers and parts.
    matrices: Vec<(usize, Part)>,
    /// Whether the whole model can be chosen.
    whole: bool,
    /// What is chosen.
    scope: RwSignal<Scope>,
) -> impl IntoView {
    let offered = Scope::all(&matrices).filter(|scope| whole || *scope != Scope::Model);
    view! { <ShownPart id label="Weights of" offered=offers(offered, |own| own.key(), |own| own.title()) shown=scope/> }
}
