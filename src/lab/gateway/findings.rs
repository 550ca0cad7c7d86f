//! What the rest of the lab asks of this analysis and its report.

use super::{Branch, Config, Report};
use crate::lab::{
    Analysis, Findings,
    facts::{Facts, disparity, width},
    fits::{below, codes, costs},
    headline::{Headline, key},
    import::ImportError,
    judged::{Found, layers, own_verdicts},
};
use crate::math::sets::MOST_LAYERS;
use crate::report::{format, labels, table::Table};

crate::lab::verdicts::ruled!();

impl Analysis for Config {
    type Report = Report;

    fn passes(&self, layers: usize) -> f64 {
        1.0 + self.family(layers).steps(Branch::ROOT) as f64 / layers.max(1) as f64
    }
}

impl Findings for Report {
    fn headline(&self, found: &mut Headline) {
        for budget in self.config.sizes(self.layers.len()) {
            let best = self.of_size(budget).next();
            found.interval(format!("disparity best {budget}"), best.and_then(|row| row.cost.disparity));
        }
        let (none, layers) = (self.of_size(0).next(), self.layers.len());
        found.interval("disparity none", none.and_then(|row| row.cost.disparity));
        found.interval("disparity all", self.of_size(layers).next().and_then(|row| row.cost.disparity));
        for pick in &self.picks {
            found.interval(format!("regret {} {}", key(&pick.picker), pick.set.len()), pick.regret);
        }
        found.kurtosis(self.layers.iter().map(|layer| layer.kurtosis));
    }

    fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![("layers", super::layers_table(self))]
    }

    fn fits(&self) -> Result<(), ImportError> {
        let layers = self.layers.len();
        below("the number of layers", layers, MOST_LAYERS + 1)?;
        codes(&self.config.texts.languages, self.languages.iter().map(|language| &language.code))?;
        below("the number of sets", self.rows.len(), super::MOST_SETS + 1)?;
        let sets = self.rows.iter().map(|row| row.set).chain(self.picks.iter().map(|pick| pick.set));
        for layer in sets.flat_map(|set| set.layers().last()) {
            below("a layer of a set", layer, layers)?;
        }
        for row in &self.rows {
            costs(&row.cost, &self.languages)?;
            if row.bytes == 0 {
                return Err(ImportError::Unfitting("a set of weights takes no bytes".into()));
            }
        }
        self.interactions.iter().try_for_each(|of| {
            below("the first layer of a pair", of.layers.0, of.layers.1)?;
            below("a layer of a pair", of.layers.1, layers)
        })
    }

    fn facts(&self) -> Facts {
        let config = &self.config;
        let facts = Facts {
            question: "Which layers to protect".into(),
            bits: width(config.quantizer.bits.get()),
            kurtosis: Some(self.layers.iter().map(|layer| layer.kurtosis).collect()),
            ..Facts::default()
        };
        let budgets = config.sizes(self.layers.len());
        let best = self.rows.iter().filter(|row| budgets.contains(&row.set.len()));
        let Some(best) = best.min_by(|a, b| disparity(&a.cost).total_cmp(&disparity(&b.cost))) else {
            return Facts { strategy: "none was tried to its end".into(), ..facts };
        };
        let strategy = format!(
            "of {} the one of least disparity: layers {} in full precision, the others by {}, {}",
            format::counted(self.rows.len() as u64, "protection set"),
            super::named(best.set),
            labels::rule(config.quantizer.rule),
            format::bytes(best.bytes)
        );
        let tried = self
            .of_size(0)
            .next()
            .and_then(|none| none.cost.disparity)
            .map(|none| format!("without protection disparity is {}", format::interval(&none)));
        Facts { strategy, tried, ..facts }.with_cost(&self.languages, &best.cost)
    }

    fn judge(&self, claim: &str) -> Vec<(String, Found)> {
        own_verdicts(claim, &self.verdicts, |own| format!("{} protected", layers(own.budget)), |_| None)
    }
}
