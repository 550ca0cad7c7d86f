//! What a spec needs of a checkpoint: its tensors, their shapes, and what each is to the lab.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spec::{Attention, Bias, Block, Linear, Mixer, Mlp, Norm, Positions, Projections, Side, Sight, Spec};
use crate::math::grouping::Layout;

/// What a tensor is to the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A block's weight matrix: what quantization acts on.
    Matrix {
        /// The block.
        layer: usize,
        /// How it is stored.
        layout: Layout,
    },
    /// A block's gain, bias, or whatever else it has that is no matrix.
    Vector {
        /// The block.
        layer: usize,
    },
    /// The token table, or the head: rounded only where that is asked for, and read as f32 all the same.
    Table {
        /// As the head sees it: (width, vocabulary).
        layout: Layout,
    },
    /// What is before the first block and after the last.
    Outside,
}

impl Role {
    /// How it is stored, if it is a matrix or a table.
    pub fn layout(self) -> Option<Layout> {
        match self {
            Role::Matrix { layout, .. } | Role::Table { layout } => Some(layout),
            Role::Vector { .. } | Role::Outside => None,
        }
    }

    /// Whether it is of the large ones, which are read again where a model is not held; all others are always there.
    pub fn is_large(self) -> bool {
        self.layout().is_some()
    }
}

/// A tensor that the spec needs.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorSpec {
    /// Name after the checkpoint's prefix is taken off.
    pub name: String,
    /// Shape in the file.
    pub shape: Vec<usize>,
    /// Its role.
    pub role: Role,
}

impl TensorSpec {
    /// Values in it. A config decides this number, and 2^32 of them are more than usize counts in wasm.
    pub fn values(&self) -> u64 {
        self.shape.iter().fold(1, |values, dimension| values.saturating_mul(*dimension as u64))
    }

    /// Bytes of them in f32.
    pub fn bytes(&self) -> u64 {
        self.values().saturating_mul(4)
    }
}

/// Which of a block's weight matrices, in the order they are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Attention's queries, keys and values in one.
    Qkv,
    /// Attention's queries.
    Query,
    /// Attention's keys.
    Key,
    /// Attention's values.
    Value,
    /// Attention's output.
    Out,
    /// Queries of the attention to an encoder.
    CrossQuery,
    /// Its keys.
    CrossKey,
    /// Its values.
    CrossValue,
    /// Its output.
    CrossOut,
    /// Into a scan: what is scanned, and its gate.
    In,
    /// What a scan selects by.
    Select,
    /// A scan's steps.
    Step,
    /// Out of a scan.
    ScanOut,
    /// The MLP's gate.
    Gate,
    /// Into the MLP.
    Up,
    /// Out of the MLP.
    Down,
}

impl Part {
    /// Every part, in an order in which blocks meet those that they have.
    pub const ALL: [Part; 16] = [
        Part::Qkv,
        Part::Query,
        Part::Key,
        Part::Value,
        Part::Out,
        Part::CrossQuery,
        Part::CrossKey,
        Part::CrossValue,
        Part::CrossOut,
        Part::In,
        Part::Select,
        Part::Step,
        Part::ScanOut,
        Part::Gate,
        Part::Up,
        Part::Down,
    ];

    /// Whether it is of the attention, or of what stands in its place; else of the MLP.
    pub fn is_attention(self) -> bool {
        !matches!(self, Part::Gate | Part::Up | Part::Down)
    }
}

impl Linear {
    fn tensors(&self, matrix: Role, vector: Role) -> impl Iterator<Item = TensorSpec> {
        let Layout { k, n, transposed } = self.layout;
        let shape = if transposed { vec![n, k] } else { vec![k, n] };
        let weight = TensorSpec { name: self.weight.clone(), shape, role: matrix };
        let bias = self.bias.clone().map(|name| TensorSpec { name, shape: vec![n], role: vector });
        [weight].into_iter().chain(bias)
    }
}

impl Norm {
    fn tensors(&self, width: usize, role: Role) -> impl Iterator<Item = TensorSpec> {
        let names = [self.gain.clone()].into_iter().chain(self.bias.clone());
        names.map(move |name| TensorSpec { name, shape: vec![width], role })
    }
}

impl Attention {
    fn parts(&self) -> Vec<(Part, &Linear)> {
        let cross = self.sight == Sight::Source;
        let named = |own: Part, of_cross: Part| if cross { of_cross } else { own };
        let mut parts = match &self.projections {
            Projections::Fused { qkv, .. } => vec![(Part::Qkv, qkv)],
            Projections::Separate { query, key, value } => vec![
                (named(Part::Query, Part::CrossQuery), query),
                (named(Part::Key, Part::CrossKey), key),
                (named(Part::Value, Part::CrossValue), value),
            ],
        };
        parts.push((named(Part::Out, Part::CrossOut), &self.out));
        parts
    }
}

impl Mlp {
    fn parts(&self) -> Vec<(Part, &Linear)> {
        let gate = self.gate.iter().map(|gate| (Part::Gate, gate));
        gate.chain([(Part::Up, &self.up), (Part::Down, &self.down)]).collect()
    }
}

impl Mixer {
    /// Its weight matrices, in the order they are met.
    fn parts(&self) -> Vec<(Part, &Linear)> {
        match self {
            Mixer::Attention(attention) => attention.parts(),
            Mixer::Mlp(mlp) => mlp.parts(),
            Mixer::Scan(scan) => vec![
                (Part::In, &scan.into),
                (Part::Select, &scan.select),
                (Part::Step, &scan.step),
                (Part::ScanOut, &scan.out),
            ],
        }
    }

    /// What else it reads.
    fn others(&self, layer: usize) -> Vec<TensorSpec> {
        let role = Role::Vector { layer };
        match self {
            Mixer::Attention(attention) => {
                let norms = attention.head_norms.iter().flatten();
                let mut others: Vec<_> = norms.flat_map(|norm| norm.tensors(attention.head, role)).collect();
                if let Some(Bias::Buckets { table, buckets, .. }) = &attention.bias {
                    let shape = vec![*buckets, attention.heads];
                    others.push(TensorSpec { name: table.clone(), shape, role });
                }
                others
            }
            Mixer::Mlp(_) => Vec::new(),
            Mixer::Scan(scan) => {
                let inner = scan.step.layout.n;
                let tensor = |name: &String, shape| TensorSpec { name: name.clone(), shape, role };
                let bias = scan.convolution_bias.iter().map(|bias| tensor(bias, vec![inner]));
                let others = [
                    tensor(&scan.convolution, vec![inner, 1, scan.size]),
                    tensor(&scan.rates, vec![inner, scan.state]),
                    tensor(&scan.skip, vec![inner]),
                ];
                others.into_iter().chain(bias).collect()
            }
        }
    }
}

impl Block {
    /// Its weight matrices, in the order they are met.
    pub fn parts(&self) -> impl Iterator<Item = (Part, &Linear)> {
        self.sublayers.iter().flat_map(|sublayer| sublayer.mixer.parts())
    }

    /// The same without their names.
    pub fn linears(&self) -> impl Iterator<Item = &Linear> {
        self.parts().map(|(_, linear)| linear)
    }

    /// Names of these matrices.
    pub fn weights(&self) -> impl Iterator<Item = &String> {
        self.linears().map(|linear| &linear.weight)
    }

    /// Its attention to its own sequence.
    pub fn attention(&self) -> Option<&Attention> {
        self.sublayers.iter().find_map(|sublayer| match &sublayer.mixer {
            Mixer::Attention(attention) if attention.sight != Sight::Source => Some(attention),
            _ => None,
        })
    }
}

impl Spec {
    /// The name that the spec uses for a tensor of the file.
    pub fn canonical<'a>(&self, name: &'a str) -> &'a str {
        self.prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
    }

    /// Channels of the token table.
    pub fn table_width(&self) -> usize {
        self.embedding.project.as_ref().map_or(self.width, |project| project.layout.k)
    }

    /// The token table, and the head where it has one of its own.
    pub fn tables(&self) -> impl Iterator<Item = &String> {
        [&self.tokens].into_iter().chain(Some(&self.head.table).filter(|table| **table != self.tokens))
    }

    /// Layers of an encoder beside the decoder; they come first.
    pub fn encoder_layers(&self) -> usize {
        self.blocks.iter().filter(|block| block.side == Side::Source).count()
    }

    /// What a person calls a layer: those of an encoder and of its decoder are counted apart.
    pub fn layer_name(&self, layer: usize) -> String {
        let encoder = self.encoder_layers();
        match layer.checked_sub(encoder) {
            _ if encoder == 0 => format!("layer {layer}"),
            Some(of_decoder) => format!("decoder layer {of_decoder}"),
            None => format!("encoder layer {layer}"),
        }
    }

    /// Every linear layer of the blocks, in the order of the forward pass.
    pub fn linears(&self) -> impl Iterator<Item = &Linear> {
        self.blocks.iter().flat_map(|block| block.linears())
    }

    /// Every linear layer in the same order, with the places of its input channels among those of all.
    pub fn inputs(&self) -> impl Iterator<Item = (&Linear, Range<usize>)> {
        self.linears().scan(0, |first, linear| {
            let channels = *first..*first + linear.layout.k;
            *first = channels.end;
            Some((linear, channels))
        })
    }

    /// Every weight matrix with its block and its part, in the same order.
    pub fn matrices(&self) -> impl Iterator<Item = (usize, Part, &Linear)> {
        let blocks = self.blocks.iter().enumerate();
        blocks.flat_map(|(layer, block)| block.parts().map(move |(part, linear)| (layer, part, linear)))
    }

    /// Every tensor that the forward pass reads, each once, in the order it reads them.
    pub fn tensors(&self) -> Vec<TensorSpec> {
        let (width, outside) = (self.table_width(), Role::Outside);
        let table = |name: &String| {
            let layout = Layout { k: width, n: self.vocabulary, transposed: true };
            TensorSpec { name: name.clone(), shape: vec![self.vocabulary, width], role: Role::Table { layout } }
        };
        let mut all = vec![table(&self.tokens)];
        let lines =
            |name: &String, rows| TensorSpec { name: name.clone(), shape: vec![rows, self.width], role: outside };
        if let Positions::Learned { table, rows, .. } = &self.embedding.positions {
            all.push(lines(table, *rows));
        }
        all.extend(self.embedding.segments.iter().map(|(table, rows)| lines(table, *rows)));
        all.extend(self.embedding.project.iter().flat_map(|project| project.tensors(outside, outside)));
        all.extend(self.embedding.norm.iter().flat_map(|norm| norm.tensors(self.width, outside)));
        for (layer, block) in self.blocks.iter().enumerate() {
            let role = Role::Vector { layer };
            for sublayer in &block.sublayers {
                let norms = [&sublayer.before, &sublayer.of_update, &sublayer.after];
                all.extend(norms.into_iter().flatten().flat_map(|norm| norm.tensors(self.width, role)));
                for (_, linear) in sublayer.mixer.parts() {
                    all.extend(linear.tensors(Role::Matrix { layer, layout: linear.layout }, role));
                }
                all.extend(sublayer.mixer.others(layer));
            }
        }
        let norms = self.source_norm.iter().chain(&self.last_norm);
        all.extend(norms.flat_map(|norm| norm.tensors(self.width, outside)));
        all.extend(self.head.project.iter().flat_map(|project| project.tensors(outside, outside)));
        if let Some(transform) = &self.head.transform {
            all.extend(transform.dense.tensors(outside, outside));
            all.extend(transform.norm.tensors(self.width, outside));
        }
        all.extend(self.tables().skip(1).map(table));
        let bias = self.head.bias.iter();
        all.extend(bias.map(|name| TensorSpec { name: name.clone(), shape: vec![self.vocabulary], role: outside }));
        // Layers that share a table name it each.
        let mut names = std::collections::BTreeSet::new();
        all.retain(|tensor| names.insert(tensor.name.clone()));
        all
    }

    /// Multiply-adds of one forward pass over a sequence of `rows` tokens, with the losses of all of them. In u64: a
    /// small model's pass overflows the 32 bits of wasm's usize.
    pub fn multiply_adds(&self, rows: usize) -> u64 {
        let [rows, width, vocabulary, table] =
            [rows, self.width, self.vocabulary, self.table_width()].map(|figure| figure as u64);
        let layers = self.blocks.iter().filter(|block| block.attention().is_some()).count() as u64;
        let blocks: u64 = self.linears().map(|linear| linear.layout.k as u64 * linear.layout.n as u64).sum();
        // Row i of causal attention meets i + 1 keys, once for scores and once for values.
        let once = rows * (blocks + vocabulary * table) + layers * width * rows * (rows + 1);
        once * self.scoring.passes() as u64
    }
}
