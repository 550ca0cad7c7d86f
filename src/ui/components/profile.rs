//! Where the time went, as bars.

use leptos::prelude::*;

use crate::protocol::{KernelRow, Profile};
use crate::report::format;
use crate::state::State;

/// Time of each kernel, once a link with `profile=1` has measured something.
#[component]
pub fn ProfilePanel() -> impl IntoView {
    let state: State = expect_context();
    move || state.profile.get().map(panel)
}

fn panel(profile: Profile) -> impl IntoView {
    let most = profile.kernels.iter().map(|kernel| kernel.milliseconds).fold(0.0, f64::max);
    let sum: f64 = profile.kernels.iter().map(|kernel| kernel.milliseconds).sum();
    view! {
        <section class="panel" id="profile" aria-labelledby="profile-heading">
            <h2 id="profile-heading">"Time per kernel"</h2>
            <p class="note">{profile.how}</p>
            <table class="bars">
                <thead><tr><th scope="col">"Kernel"</th><th scope="col">"Runs"</th><th scope="col">"Milliseconds"</th>
                    <th scope="col">"Share"</th></tr></thead>
                <tbody>{profile.kernels.into_iter().map(|kernel| bar(kernel, most, sum)).collect_view()}</tbody>
            </table>
        </section>
    }
}

fn bar(kernel: KernelRow, most: f64, sum: f64) -> impl IntoView {
    let share = |of: f64| if of > 0.0 { 100.0 * kernel.milliseconds / of } else { 0.0 };
    view! {
        <tr data-kernel=kernel.name.clone()>
            <th scope="row">{kernel.name.clone()}</th>
            <td class="number">{kernel.runs}</td>
            <td class="number" data-figure="milliseconds">{format::figure(kernel.milliseconds)}</td>
            <td class="share"><span style=format!("width: {:.1}%", share(most))></span><em>{format!("{:.0}%", share(sum))}</em></td>
        </tr>
    }
}
