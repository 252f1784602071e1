//! Scales an image down: every pixel of the result is the mean of the area it covers.

/// Red, green, blue and alpha of every pixel, row by row.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) rgba: Vec<u8>,
    /// True for a photo, in which small losses are not visible.
    pub(super) is_photo: bool,
}

/// Layout of the samples in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Samples {
    Gray,
    GrayAlpha,
    Rgb,
    Rgba,
}

impl Samples {
    pub(super) fn per_pixel(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::GrayAlpha => 2,
            Self::Rgb => 3,
            Self::Rgba => 4,
        }
    }

    fn rgba(self, pixel: &[u8]) -> [f32; 4] {
        let parts = match (self, pixel) {
            (Self::Gray, [gray]) => [*gray, *gray, *gray, 255],
            (Self::GrayAlpha, [gray, alpha]) => [*gray, *gray, *gray, *alpha],
            (Self::Rgb, [red, green, blue]) => [*red, *green, *blue, 255],
            (Self::Rgba, [red, green, blue, alpha]) => [*red, *green, *blue, *alpha],
            _ => [0; 4],
        };
        parts.map(f32::from)
    }
}

/// Contribution of a source position to two adjacent target positions.
#[derive(Debug, Clone, Copy)]
struct Share {
    place: usize,
    here: f32,
    next: f32,
}

/// Receives rows from top to bottom and builds the scaled image.
#[derive(Debug)]
pub(super) struct Scaler {
    samples: Samples,
    size: (u32, u32),
    columns: Vec<Share>,
    rows: std::vec::IntoIter<Share>,
    /// Sums for the current and the next target row; colours are weighted with alpha.
    sums: [Vec<[f32; 4]>; 2],
    narrow: Vec<[f32; 4]>,
    at: usize,
    rgba: Vec<u8>,
}

impl Scaler {
    /// Creates a scaler; neither side of `to` is longer than that of `from`.
    pub(super) fn new(samples: Samples, from: (u32, u32), to: (u32, u32)) -> Self {
        let row = vec![[0.0; 4]; to.0 as usize];
        Self {
            samples,
            size: to,
            columns: shares(from.0, to.0),
            rows: shares(from.1, to.1).into_iter(),
            sums: [row.clone(), row.clone()],
            narrow: row,
            at: 0,
            rgba: Vec::with_capacity(to.0 as usize * to.1 as usize * 4),
        }
    }

    pub(super) fn row(&mut self, samples: &[u8]) {
        let Some(share) = self.rows.next() else { return };
        while self.at < share.place {
            self.done();
        }
        self.narrow.fill([0.0; 4]);
        for (pixel, column) in samples.chunks_exact(self.samples.per_pixel()).zip(&self.columns) {
            let [red, green, blue, alpha] = self.samples.rgba(pixel);
            let opacity = alpha / 255.0;
            let value = [red * opacity, green * opacity, blue * opacity, alpha];
            add(self.narrow.get_mut(column.place), value, column.here);
            if column.next > 0.0 {
                add(self.narrow.get_mut(column.place + 1), value, column.next);
            }
        }
        let [sum, next] = &mut self.sums;
        for ((sum, next), value) in sum.iter_mut().zip(next).zip(&self.narrow) {
            add(Some(sum), *value, share.here);
            add(Some(next), *value, share.next);
        }
    }

    pub(super) fn finish(mut self) -> Picture {
        while self.at < self.size.1 as usize {
            self.done();
        }
        Picture {
            width: self.size.0,
            height: self.size.1,
            rgba: self.rgba,
            is_photo: false,
        }
    }

    /// Completes a row of the result.
    fn done(&mut self) {
        for [red, green, blue, alpha] in &self.sums[0] {
            let opacity = if *alpha > 0.0 { alpha / 255.0 } else { 1.0 };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let byte = |value: f32| value.round().clamp(0.0, 255.0) as u8;
            self.rgba.extend([
                byte(red / opacity),
                byte(green / opacity),
                byte(blue / opacity),
                byte(*alpha),
            ]);
        }
        self.sums.swap(0, 1);
        self.sums[1].fill([0.0; 4]);
        self.at += 1;
    }
}

fn add(sum: Option<&mut [f32; 4]>, value: [f32; 4], weight: f32) {
    if let Some(sum) = sum {
        for (sum, value) in sum.iter_mut().zip(value) {
            *sum += value * weight;
        }
    }
}

/// Maps `from` source positions to `to` target positions.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss
)]
fn shares(from: u32, to: u32) -> Vec<Share> {
    let ratio = f64::from(to) / f64::from(from);
    (0..from)
        .map(|at| {
            let (start, end) = (f64::from(at) * ratio, f64::from(at + 1) * ratio);
            // rounding errors must not create an additional position
            let place = (start + 1e-9).floor().min(f64::from(to - 1));
            let border = (place + 1.0).min(end);
            Share {
                place: place as usize,
                here: (border - start) as f32,
                next: (end - border).max(0.0) as f32,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(samples: Samples, from: (u32, u32), to: (u32, u32), data: &[u8]) -> Vec<u8> {
        let mut scaler = Scaler::new(samples, from, to);
        for row in data.chunks(from.0 as usize * samples.per_pixel()) {
            scaler.row(row);
        }
        scaler.finish().rgba
    }

    #[test]
    fn every_pixel_is_the_mean_of_its_area() {
        assert_eq!(
            scaled(Samples::Gray, (4, 2), (2, 1), &[0, 10, 100, 200, 20, 30, 100, 200]),
            [15, 15, 15, 255, 150, 150, 150, 255]
        );
        // 3 to 2: the middle pixel contributes half to either side
        assert_eq!(
            scaled(Samples::Gray, (3, 1), (2, 1), &[0, 90, 240]),
            [30, 30, 30, 255, 190, 190, 190, 255]
        );
    }

    #[test]
    fn one_colour_stays_that_colour_at_any_ratio() {
        for (from, to) in [(1600, 1568), (3999, 1568), (1569, 1568), (1568, 1568), (7, 3)] {
            let data = [7, 200, 99].repeat(from as usize * 2);
            let out = scaled(Samples::Rgb, (from, 2), (to, 1), &data);
            assert_eq!(out, [7, 200, 99, 255].repeat(to as usize), "{from} to {to}");
        }
    }

    #[test]
    fn transparent_pixels_do_not_contribute_colour() {
        let out = scaled(Samples::Rgba, (2, 1), (1, 1), &[255, 0, 0, 255, 0, 255, 0, 0]);
        assert_eq!(out, [255, 0, 0, 128]);
    }
}
