//! Laws of softmax attention.

use crate::both;
use crate::harness::{Kind, Walk, run_case};
use engine::backend::kernels::{
    Attention,
    attention::oracle::{Asked, SHAPES, See},
};

async fn attend(asked: &Asked) -> Vec<f32> {
    run_case::<Attention>(&asked.case("")).await
}

both! {
async fn packed_sequences_give_the_bits_of_each_alone() {
    for case @ (lengths, heads, head, group, see, span) in SHAPES {
        let whole = Asked::new(case, 77, Kind::Plain);
        let together = attend(&whole).await;
        let (mut row, mut key) = (0, 0);
        let (stride, key_stride, width) = (whole.p.stride as usize, whole.p.key_stride as usize, heads * head);
        for len in *lengths {
            let own = vec![*len].leak();
            let mut alone = Asked::new(&(own, *heads, *head, *group, *see, *span), 1, Kind::Plain);
            let keys = alone.p.key_rows as usize;
            alone.queries = whole.queries[row * stride..][..len * stride].to_vec();
            alone.keys = whole.keys[key * key_stride..][..keys * key_stride].to_vec();
            alone.bias = whole.bias.clone();
            assert_eq!(attend(&alone).await, together[row * width..][..len * width], "{len} of {case:?}");
            (row, key) = (row + len, key + keys);
        }
    }
}
}

both! {
async fn a_row_never_sees_what_comes_after_it() {
    let mut given = Asked::new(&(&[21], 2, 8, 1, See::Causal, 0), 78, Kind::Plain);
    let (stride, width) = (given.p.key_stride as usize, 16);
    let before = attend(&given).await;
    for row in (1..21).rev() {
        given.keys[row * stride..][..stride].fill(f32::INFINITY);
        let after = attend(&given).await;
        assert_eq!(after[..row * width], before[..row * width], "rows before {row}");
        assert!(after[row * width..].iter().all(|x| x.is_nan()), "rows from {row} on");
    }
}
}

both! {
async fn ranges_may_overlap_and_one_of_nothing_gives_zeros() {
    let mut given = Asked::new(&(&[6], 1, 4, 1, See::Causal, 0), 79, Kind::Plain);
    given.seen = [vec![0, 0, 1, 9, 2, 3], vec![1, 2, 3, 4, 2, 99]];
    let got = attend(&given).await;
    assert_eq!(got[12..20], [0.0; 8]);
    let (truth, tolerance) = given.oracle();
    let mut walk = Walk::new("attention");
    walk.compare("first rows", &got[..12], &truth[..12], &tolerance[..12]);
    // Keys beyond the last are not there.
    walk.compare("last row", &got[20..], &truth[20..], &tolerance[20..]);
    walk.passed();
}
}
