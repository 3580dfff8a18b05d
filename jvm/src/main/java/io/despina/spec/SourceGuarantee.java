package io.despina.spec;

import java.util.Locale;

/** What a source does about packets that left it after the last complete epoch, when the job goes on from that epoch. */
public enum SourceGuarantee {
    /** It reads them again, from the place that the epoch has. */
    REPLAYABLE(Guarantee.EXACTLY_ONCE),
    /** It had written them to a log of its own before it told the sender that it has them, and reads them there. */
    SPOOLED(Guarantee.EXACTLY_ONCE),
    /** They are lost. */
    NONE(Guarantee.NONE);

    private final Guarantee level;

    SourceGuarantee(Guarantee level) {
        this.level = level;
    }

    /** The most that a sink can promise for rows of such a source. */
    public Guarantee level() {
        return level;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
