package io.despina.spec;

import java.util.List;

/** How fast all instances of a generator together make packets. */
public sealed interface Rate {
    Rate FLAT_OUT = new FlatOut();

    /** As fast as it can. */
    record FlatOut() implements Rate {
    }

    /** A constant rate. */
    record Constant(double perSecond) implements Rate {
    }

    /** A rate that rises from low to high in half a period, and falls back. */
    record Sine(long periodMs, double lowPerSecond, double highPerSecond) implements Rate {
    }

    /** One rate after the other. The last one never ends; if it is 0, the stream ends there. */
    record Steps(List<Step> steps) implements Rate {
        public Steps {
            steps = List.copyOf(steps);
        }
    }

    /** A rate for a while. */
    record Step(long forMs, double perSecond) {
    }
}
