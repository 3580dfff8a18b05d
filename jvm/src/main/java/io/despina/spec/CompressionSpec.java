package io.despina.spec;

/**
 * Whether a remote link's frames are compressed: with LZ4, packets of one length byte-shuffled first.
 *
 * @param belowBits of {@code ENTROPY}: the byte entropy under which a frame is compressed
 */
public record CompressionSpec(Mode mode, double belowBits) {
    public static final CompressionSpec DEFAULT = new CompressionSpec(Mode.ADAPTIVE, 6.0);

    /** When to compress. */
    public enum Mode {
        /** While the socket holds the channel up and packets get through faster that way. */
        ADAPTIVE,
        /** NEPTUNE's rule: the sampled byte entropy is under a threshold. */
        ENTROPY,
        ALWAYS,
        NEVER
    }
}
