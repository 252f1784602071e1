use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_tools::Outcome;

use crate::support::{Lab, said};

/// Creates a PNG of one colour, or of noise that does not compress.
fn png(width: u32, height: u32, noise: bool) -> Vec<u8> {
    let mut state = 1u32;
    let rgb: Vec<u8> = (0..width * height * 3)
        .map(|at| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if noise {
                state.to_le_bytes()[3]
            } else {
                [10, 200, 90][at as usize % 3]
            }
        })
        .collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&rgb).unwrap();
    writer.finish().unwrap();
    bytes
}

fn shown(outcome: &Outcome) -> Vec<u8> {
    assert_eq!(outcome.is_error, None, "{}", outcome.content);
    assert_eq!(outcome.content[0]["source"]["data"], outcome.result["file"]["base64"]);
    STANDARD
        .decode(outcome.result["file"]["base64"].as_str().unwrap())
        .unwrap()
}

fn dimensions(original: (u32, u32), display: (u32, u32)) -> Value {
    json!({"originalWidth": original.0, "originalHeight": original.1, "displayWidth": display.0, "displayHeight": display.1})
}

#[tokio::test]
async fn a_large_image_is_scaled_down() {
    let lab = Lab::new();
    let bytes = png(1600, 800, false);
    let path = lab.file("i.png", &bytes);
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    let small = shown(&outcome);
    let file = &outcome.result["file"];
    assert_eq!(file["dimensions"], dimensions((1600, 800), (1568, 784)));
    assert_eq!(
        (&file["type"], &file["originalSize"]),
        (&json!("image/png"), &json!(bytes.len()))
    );
    assert!(outcome.content[1]["text"].as_str().unwrap().contains("1600x800"));
    let mut reader = png::Decoder::new(std::io::Cursor::new(&small)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!((reader.info().width, reader.info().height), (1568, 784));
    assert_eq!(pixels, [10, 200, 90].repeat(1568 * 784));
}

#[tokio::test]
async fn a_large_image_file_is_compressed() {
    let lab = Lab::new();
    let bytes = png(1160, 1160, true);
    assert!(bytes.len() > 5 * 1024 * 1024 / 4 * 3);
    let path = lab.file("i.png", &bytes);
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    let small = shown(&outcome);
    assert_eq!(outcome.result["file"]["type"], "image/jpeg");
    assert!(small.len() <= 5 * 1024 * 1024 / 4 * 3 && small.starts_with(b"\xFF\xD8\xFF"));
    assert_eq!(
        outcome.result["file"]["dimensions"],
        dimensions((1160, 1160), (1160, 1160))
    );
    assert_eq!(
        outcome.content.as_array().unwrap().len(),
        1,
        "nothing to say about a size that stayed"
    );
}

#[tokio::test]
async fn photos_stay_jpeg_and_upright() {
    let lab = Lab::new();
    let (width, height) = (2000u16, 1000u16);
    // dark on the left, light on the right
    let rgb: Vec<u8> = (0..usize::from(width) * usize::from(height))
        .flat_map(|at| [if at % usize::from(width) < 1000 { 20 } else { 230 }; 3])
        .collect();
    let exif = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 90);
    encoder.add_exif_metadata(exif).unwrap();
    encoder
        .encode(&rgb, width, height, jpeg_encoder::ColorType::Rgb)
        .unwrap();
    let path = lab.file("i.jpg", &bytes);
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    let small = shown(&outcome);
    assert_eq!(outcome.result["file"]["type"], "image/jpeg");
    assert_eq!(
        outcome.result["file"]["dimensions"],
        dimensions((2000, 1000), (784, 1568))
    );
    let mut decoder = zune_jpeg::JpegDecoder::new(zune_core::bytestream::ZCursor::new(&small));
    let pixels = decoder.decode().unwrap();
    let line = pixels.len() / 1568;
    assert!(
        pixels[line * 10] < 60 && pixels[line * 1500] > 190,
        "turned to the right, the light is below"
    );
}

#[tokio::test]
async fn gif_and_webp_are_scaled_too() {
    let lab = Lab::new();
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, 1700, 20, &[255, 0, 0, 0, 0, 255]).unwrap();
    let frame = gif::Frame {
        width: 850,
        height: 20,
        buffer: vec![1; 850 * 20].into(),
        ..gif::Frame::default()
    };
    encoder.write_frame(&frame).unwrap();
    drop(encoder);
    let path = lab.file("i.gif", &bytes);
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    assert_eq!(outcome.result["file"]["dimensions"], dimensions((1700, 20), (1568, 18)));
    let small = shown(&outcome);
    let mut reader = png::Decoder::new(std::io::Cursor::new(&small)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(
        (&pixels[..4], &pixels[1567 * 4..1568 * 4]),
        (&[0, 0, 255, 255][..], &[0, 0, 0, 0][..])
    );

    let mut bytes = Vec::new();
    image_webp::WebPEncoder::new(&mut bytes)
        .encode(&[9, 99, 199].repeat(2000 * 10), 2000, 10, image_webp::ColorType::Rgb8)
        .unwrap();
    let path = lab.file("i.webp", &bytes);
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    assert_eq!(outcome.result["file"]["dimensions"], dimensions((2000, 10), (1568, 8)));
    assert_eq!(outcome.result["file"]["type"], "image/png");
}

#[tokio::test]
async fn an_enormous_image_is_refused_by_its_header() {
    let lab = Lab::new();
    for (name, bytes) in [
        (
            "bomb.png",
            [
                &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
                &60_000u32.to_be_bytes(),
                &60_000u32.to_be_bytes(),
                &[8, 6, 0, 0, 0],
            ]
            .concat(),
        ),
        ("bomb.gif", b"GIF89a\xff\xff\xff\xff\0\0\0".to_vec()),
        (
            "bomb.jpg",
            b"\xFF\xD8\xFF\xC0\0\x11\x08\xff\xff\xff\xff\x03\0\0\0".to_vec(),
        ),
        (
            "bomb.webp",
            b"RIFF....WEBPVP8X........\xff\xff\xff\xff\xff\xff".to_vec(),
        ),
    ] {
        let path = lab.file(name, bytes);
        let outcome = lab.call("Read", json!({"file_path": path})).await;
        assert!(
            outcome.is_error == Some(true) && said(&outcome).contains("more than can be decoded"),
            "{name}: {}",
            said(&outcome)
        );
    }
    let mut cut = png(2000, 20, false);
    cut.truncate(60);
    let path = lab.file("cut.png", cut);
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    assert!(said(&outcome).contains("cannot be decoded"), "{}", said(&outcome));
}
