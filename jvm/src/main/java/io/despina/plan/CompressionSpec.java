package io.despina.plan;

/** Whether a link's remote channels compress. */
public sealed interface CompressionSpec {

    /** Where entropy allows it, the socket holds the channel up, and a sample shows that it pays. */
    record Adaptive() implements CompressionSpec {
    }

    /** Where the sampled entropy is below {@code belowBits} bits per byte. */
    record Entropy(double belowBits) implements CompressionSpec {
    }

    record Always() implements CompressionSpec {
    }

    record Never() implements CompressionSpec {
    }
}
