//! Boosted decision trees.

use crate::bytes::{Bytes, WeightsError};

/// Child numbers from this one on are leaves.
const LEAF: u16 = 1 << 15;

/// A sum of trees. Each tree tests one feature after the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trees {
    features: usize,
    nodes: Vec<Node>,
    leaves: Vec<f32>,
    trees: Vec<Tree>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    feature: u16,
    /// Used if the feature is at most the threshold.
    left: u16,
    right: u16,
    threshold: f32,
}

/// The positions of a tree's first node and first leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tree {
    node: usize,
    leaf: usize,
    /// A tree may be a single leaf.
    root: u16,
}

/// A tree as it was grown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grown {
    /// Inner nodes, the root first, children after their parents.
    pub(crate) splits: Vec<Split>,
    pub(crate) leaves: Vec<f32>,
}

/// An inner node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Split {
    pub(crate) feature: usize,
    /// The first child is used if the feature is at most this.
    pub(crate) threshold: f32,
    /// Made by [`Split::node`] and [`Split::leaf`].
    pub(crate) children: [u16; 2],
}

impl Split {
    /// A child that is an inner node.
    pub(crate) fn node(at: usize) -> u16 {
        at as u16
    }

    /// A child that is a leaf.
    pub(crate) fn leaf(at: usize) -> u16 {
        LEAF + at as u16
    }
}

impl Grown {
    /// The leaf that is reached if `is_left` decides at each inner node.
    pub(crate) fn leaf_by(&self, is_left: impl Fn(usize) -> bool) -> usize {
        let mut at = if self.splits.is_empty() { LEAF } else { 0 };
        while at < LEAF {
            let node = usize::from(at);
            at = self.splits[node].children[usize::from(!is_left(node))];
        }
        usize::from(at - LEAF)
    }
}

impl Trees {
    /// No tree yet.
    pub(crate) fn empty(features: usize) -> Trees {
        Trees { features, nodes: Vec::new(), leaves: Vec::new(), trees: Vec::new() }
    }

    /// Adds a tree.
    pub(crate) fn push(&mut self, tree: &Grown) {
        let root = if tree.splits.is_empty() { LEAF } else { 0 };
        self.trees.push(Tree { node: self.nodes.len(), leaf: self.leaves.len(), root });
        self.nodes.extend(tree.splits.iter().map(|split| Node {
            feature: split.feature as u16,
            left: split.children[0],
            right: split.children[1],
            threshold: split.threshold,
        }));
        self.leaves.extend_from_slice(&tree.leaves);
    }

    /// Appends the model in the format of [`Trees::read`].
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend((self.features as u32).to_le_bytes());
        out.extend((self.trees.len() as u32).to_le_bytes());
        for (i, tree) in self.trees.iter().enumerate() {
            let next = self.trees.get(i + 1);
            let nodes = &self.nodes[tree.node..next.map_or(self.nodes.len(), |next| next.node)];
            let leaves = &self.leaves[tree.leaf..next.map_or(self.leaves.len(), |next| next.leaf)];
            out.extend((leaves.len() as u32).to_le_bytes());
            for node in nodes {
                out.extend([node.feature, node.left, node.right, 0].iter().flat_map(|n| n.to_le_bytes()));
                out.extend(node.threshold.to_le_bytes());
            }
            out.extend(leaves.iter().flat_map(|leaf| leaf.to_le_bytes()));
        }
    }

    /// Reads a model that uses this many features.
    pub(crate) fn read(bytes: &mut Bytes<'_>, features: usize) -> Result<Trees, WeightsError> {
        if bytes.u32()? as usize != features {
            return Err(WeightsError::Content("the number of features differs"));
        }
        let mut all = Trees::empty(features);
        for _ in 0..bytes.u32()? {
            all.read_tree(bytes)?;
        }
        Ok(all)
    }

    fn read_tree(&mut self, bytes: &mut Bytes<'_>) -> Result<(), WeightsError> {
        let leaves = bytes.u32()?;
        if leaves == 0 || leaves >= u32::from(LEAF) {
            return Err(WeightsError::Content("a tree has no leaves, or too many"));
        }
        let root = if leaves == 1 { LEAF } else { 0 };
        self.trees.push(Tree { node: self.nodes.len(), leaf: self.leaves.len(), root });
        for at in 0..leaves - 1 {
            let (feature, left, right, _) = (bytes.u16()?, bytes.u16()?, bytes.u16()?, bytes.u16()?);
            // A child comes after its parent, so every path ends.
            let is_child = |child: u16| {
                (u32::from(child) > at && u32::from(child) < leaves - 1)
                    || u32::from(child & !LEAF) < leaves && child >= LEAF
            };
            if usize::from(feature) >= self.features || !is_child(left) || !is_child(right) {
                return Err(WeightsError::Content("a tree points to nowhere"));
            }
            self.nodes.push(Node { feature, left, right, threshold: bytes.f32()? });
        }
        for _ in 0..leaves {
            self.leaves.push(bytes.f32()?);
        }
        Ok(())
    }

    /// The sum over all trees. `features` must have the length that the trees use.
    pub(crate) fn sum(&self, features: &[f32]) -> f64 {
        debug_assert_eq!(features.len(), self.features);
        self.trees.iter().map(|tree| f64::from(self.leaf(tree, features))).sum()
    }

    /// The sum as a probability.
    pub(crate) fn probability(&self, features: &[f32]) -> f64 {
        1.0 / (1.0 + (-self.sum(features)).exp())
    }

    fn leaf(&self, tree: &Tree, features: &[f32]) -> f32 {
        let mut at = tree.root;
        while at < LEAF {
            let node = &self.nodes[tree.node + usize::from(at)];
            at = if features[usize::from(node.feature)] <= node.threshold { node.left } else { node.right };
        }
        self.leaves[tree.leaf + usize::from(at - LEAF)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One tree that splits feature 1 at 0.5, and one that is a leaf of 10.
    fn file(feature: u16, left: u16) -> Vec<u8> {
        let mut file = b"BWT1".to_vec();
        file.extend([2u32, 2, 2].iter().flat_map(|n| n.to_le_bytes()));
        file.extend([feature, left, LEAF + 1, 0].iter().flat_map(|n| n.to_le_bytes()));
        file.extend([0.5f32, -1.0, 2.0].iter().flat_map(|x| x.to_le_bytes()));
        file.extend(1u32.to_le_bytes());
        file.extend(10f32.to_le_bytes());
        file
    }

    fn read(file: &[u8]) -> Result<Trees, WeightsError> {
        let mut bytes = Bytes::after(b"BWT1", file)?;
        let trees = Trees::read(&mut bytes, 2)?;
        bytes.end().map(|()| trees)
    }

    #[test]
    fn a_feature_at_the_threshold_goes_left() {
        let trees = read(&file(1, LEAF)).expect("trees");
        assert_eq!((trees.sum(&[9.0, 0.5]), trees.sum(&[9.0, 0.6])), (9.0, 12.0));
        assert!((trees.probability(&[0.0, 0.0]) - 1.0 / (1.0 + (-9f64).exp())).abs() < 1e-15);
        let mut written = b"BWT1".to_vec();
        trees.write(&mut written);
        assert_eq!(written, file(1, LEAF));
    }

    #[test]
    fn trees_that_point_to_nowhere_are_refused() {
        assert!(read(&file(2, LEAF)).is_err(), "no such feature");
        assert!(read(&file(1, LEAF + 2)).is_err(), "no such leaf");
        // This would be an endless path.
        assert!(read(&file(1, 0)).is_err());
        assert!(read(&file(1, LEAF)[..30]).is_err());
    }
}
