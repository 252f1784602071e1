// Prepares pictures for sending: at most 2000 pixels per side and small enough for the model's API, which would
// otherwise reject the whole conversation.
export const MAX_PIXELS = 2_000;
export const MAX_BYTES = 3_750_000;
export const MAX_PICTURES = 20;
export const SUPPORTED_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export interface Prepared {
  blob: Blob;
  width: number;
  height: number;
  smaller: boolean;
}

/** The size of a picture scaled down to at most `most` pixels per side. */
export function fit(width: number, height: number, most = MAX_PIXELS): { width: number; height: number } {
  const part = Math.min(1, most / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * part)), height: Math.max(1, Math.round(height * part)) };
}

/** Decodes a picture and scales it down if needed. Throws if the file is not a picture. */
export async function prepare(file: Blob): Promise<Prepared> {
  const bitmap = await createImageBitmap(file);
  try {
    const size = fit(bitmap.width, bitmap.height);
    const fits = size.width === bitmap.width && file.size <= MAX_BYTES && SUPPORTED_TYPES.includes(file.type);
    if (fits) return { blob: file, width: bitmap.width, height: bitmap.height, smaller: false };
    const lossless = file.type === 'image/png' || file.type === 'image/gif';
    for (const [scale, type, quality] of [
      [1, lossless ? 'image/png' : 'image/jpeg', 0.9],
      [1, 'image/jpeg', 0.85],
      [0.7, 'image/jpeg', 0.8],
      [0.4, 'image/jpeg', 0.75],
    ] as const) {
      const width = Math.max(1, Math.round(size.width * scale));
      const height = Math.max(1, Math.round(size.height * scale));
      const blob = await draw(bitmap, width, height, type, quality);
      if (blob.size <= MAX_BYTES) return { blob, width, height, smaller: true };
    }
    throw new Error('too large');
  } finally {
    bitmap.close();
  }
}

async function draw(bitmap: ImageBitmap, width: number, height: number, type: string, quality: number): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  if (type === 'image/jpeg') {
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, width, height);
  }
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas.convertToBlob({ type, quality });
}
