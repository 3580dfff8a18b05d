package io.despina.spec;

/**
 * Whether a remote link's frames are compressed: with LZ4, after a byte shuffle if packets have one length.
 *
 * @param belowBits of {@code ENTROPY}: the byte entropy under which a frame is compressed
 */
public record CompressionSpec(Mode mode, double belowBits) {
    public static final CompressionSpec DEFAULT = new CompressionSpec(Mode.ADAPTIVE, 6.0);

    /** When to compress. */
    public enum Mode {
        /** While the socket is the bottleneck and compression makes packets faster. */
        ADAPTIVE,
        /** NEPTUNE's rule: if the sampled byte entropy is under a threshold. */
        ENTROPY,
        ALWAYS,
        NEVER
    }
}
