//! Classes of edge orientations and middle edges' places that differ by exchanges of places within a layer.

use twistbase_puzzle::cube3::coordinate::{CosetOfH, FlipSliceClasses};
use twistbase_puzzle::cube3::{Cube, Cubies};

/// The places of the layers between F and B, L and R, and U and D, each once around.
const LAYERS: [[usize; 4]; 3] = [[0, 2, 6, 4], [1, 3, 7, 5], [8, 9, 10, 11]];

/// Which places are exchanged. Exchanges go on from each other: what is closed under one is closed under the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exchanges {
    /// All places of a layer.
    All,
    /// As turns and reflections of the layer's square do.
    Square,
    /// Opposite places.
    Opposite,
    /// None.
    None,
}

impl Exchanges {
    /// Where the four places of a layer go, as often as it takes to make all such exchanges. What symmetries make of
    /// one of them is another one.
    fn of_layer(self) -> &'static [[usize; 4]] {
        match self {
            Self::All => &[[1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2], [3, 1, 2, 0]],
            Self::Square => &[[2, 1, 0, 3], [0, 3, 2, 1], [1, 0, 3, 2], [3, 2, 1, 0]],
            Self::Opposite => &[[2, 1, 0, 3], [0, 3, 2, 1]],
            Self::None => &[],
        }
    }

    /// The cell of each class, and the number of cells: classes that are in a cell differ by such exchanges.
    pub fn cells(self) -> (Vec<u32>, usize) {
        let mut leaders: Vec<u32> = (0..FlipSliceClasses::COUNT as u32).collect();
        for class in 0..FlipSliceClasses::COUNT as u16 {
            let home = CosetOfH::of_class(class, 0).representative().cubies();
            for exchanged in self.exchanged(&home) {
                let image = FlipSliceClasses::get().place(&exchanged).class;
                let [a, b] = [class, image].map(|class| leader(&mut leaders, class.into()));
                leaders[a.max(b) as usize] = a.min(b);
            }
        }
        // A leader is the least of its cell, so it has its number before the others ask for it.
        let (mut cells, mut count) = (vec![0; leaders.len()], 0);
        for class in 0..leaders.len() {
            let leader = leader(&mut leaders, class as u32) as usize;
            if leader == class {
                cells[class] = count;
                count += 1;
            } else {
                cells[class] = cells[leader];
            }
        }
        (cells, count as usize)
    }

    /// What exchanges make of the edges of a position: they keep each sticker on its faces or the ones opposite.
    fn exchanged(self, home: &Cubies) -> impl Iterator<Item = Cube> {
        let ways = LAYERS.into_iter().flat_map(move |layer| self.of_layer().iter().map(move |to| (layer, to)));
        ways.map(|(layer, to)| {
            let mut cubies = *home;
            (0..4).for_each(|place| cubies.edges[layer[to[place]]] = home.edges[layer[place]]);
            Cube::from_cubies(&cubies).unwrap_or_else(|_| {
                // An odd exchange: which corner is where does not matter.
                cubies.corners.swap(0, 1);
                Cube::from_cubies(&cubies).expect("edges in other places, and the parity of the corners theirs")
            })
        })
    }
}

/// The least known to be in the cell of a class.
fn leader(leaders: &mut [u32], mut class: u32) -> u32 {
    while leaders[class as usize] != class {
        let above = leaders[leaders[class as usize] as usize];
        leaders[class as usize] = above;
        class = above;
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_fewer_exchanges_are_parts_of_those_of_more() {
        let all = [Exchanges::All, Exchanges::Square, Exchanges::Opposite, Exchanges::None].map(Exchanges::cells);
        assert_eq!((all[0].1, all[2].1, all[3].1), (1331, 7996, FlipSliceClasses::COUNT));
        for pair in all.windows(2) {
            let mut whole = vec![None; pair[1].1];
            let cells = pair[0].0.iter().zip(&pair[1].0);
            assert!(cells.into_iter().all(|(cell, &part)| *whole[part as usize].get_or_insert(cell) == cell));
        }
    }
}
