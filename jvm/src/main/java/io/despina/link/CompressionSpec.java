package io.despina.link;

/**
 * Whether a remote link's frames are compressed.
 *
 * @param belowBits of {@code ENTROPY} and {@code ADAPTIVE}: the byte entropy under which a frame is worth trying
 */
public record CompressionSpec(Mode mode, double belowBits) {
    public static final CompressionSpec DEFAULT = new CompressionSpec(Mode.ADAPTIVE, 6.0);

    /** When to compress. */
    public enum Mode {
        /** The entropy gate, and only while the socket is the limit and a sample shows that it saves more than it costs. */
        ADAPTIVE,
        /** NEPTUNE's rule: the sampled byte entropy is under a threshold. */
        ENTROPY,
        ALWAYS,
        NEVER
    }
}
