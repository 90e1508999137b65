export function seedRandom(seed: string): () => void;
