package io.despina.spec;

import java.util.List;

/** How fast a generator makes packets: those of all instances together. */
public sealed interface Rate {
    Rate FLAT_OUT = new FlatOut();

    /** As fast as it can. */
    record FlatOut() implements Rate {
    }

    /** Always the same. */
    record Constant(double perSecond) implements Rate {
    }

    /** From low at the start to high after half a period, and back. */
    record Sine(long periodMs, double lowPerSecond, double highPerSecond) implements Rate {
    }

    /** One rate after the other; the last one stays, and if that is 0 the stream ends there. */
    record Steps(List<Step> steps) implements Rate {
        public Steps {
            steps = List.copyOf(steps);
        }
    }

    /** A rate for a while. */
    record Step(long forMs, double perSecond) {
    }
}
