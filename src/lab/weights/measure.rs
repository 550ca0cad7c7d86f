//! How the model's weights are spread: moments, tails and histogram of every weight matrix and of every layer.

use super::{Config, Layer, Report, Tensor};
use crate::arch::{
    layer_stats::{LayerMatrices, LayerStats},
    load::Opened,
};
use crate::lab::{
    AnalysisError, Measuring, origin,
    runner::{Lab, Progress, Step},
};

impl Measuring for Config {}

/// Every matrix is read once, or was looked at while the model streamed by; a layer's moments are merged from those of its
/// matrices.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let Opened { device, layer_stats, .. } = lab.model();
    let (mut tensors, mut layers, total) = (Vec::new(), Vec::new(), device.spec.linears().count());
    for (layer, block) in device.spec.blocks.iter().enumerate() {
        let taken = layer_stats.as_ref().and_then(|layer_stats| layer_stats.layer(layer)).cloned();
        let LayerStats { matrices, whole } = match taken {
            Some(taken) => taken,
            None => {
                let mut matrices_of_layer = LayerMatrices::default();
                for (at, linear) in block.linears().enumerate() {
                    lab.tell(Progress { step: Step::Tensors, done: tensors.len() + at, total });
                    matrices_of_layer.add(device.values(&linear.weight).await?);
                    lab.pause().await;
                }
                matrices_of_layer.finish()
            }
        };
        for ((part, linear), spread) in block.parts().zip(matrices) {
            tensors.push(Tensor { name: linear.weight.clone(), layer, part, spread });
        }
        layers.push(Layer { layer, outlier: whole.summary.kurtosis > config.threshold, spread: whole });
        lab.pause().await;
    }
    lab.tell(Progress { step: Step::Tensors, done: total, total });
    Ok(Report { config: *config, origin: origin::of(lab, None), tensors, layers })
}
