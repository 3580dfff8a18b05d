package io.despina.plan;

/** What an operator makes of a stream in which each key has a clock of its own. */
public enum TimePerKey {
    /** It needs one clock for all packets, and is refused. */
    REFUSED,
    /** It asks for no clock: it looks at one packet after the other. */
    UNUSED,
    /** It goes by the clocks of its keys. */
    KEPT
}
