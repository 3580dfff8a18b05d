package io.despina.spec;

import java.util.Locale;

/** What becomes of rows that a sink had written after the last complete epoch, when the job goes on from that epoch. */
public enum SinkGuarantee {
    /** Nobody has seen them: rows are shown when their epoch is complete. */
    TRANSACTIONAL(Guarantee.EXACTLY_ONCE),
    /** The target keeps a mark of the last epoch that it has, in the same transaction as the rows. */
    MARKED(Guarantee.EXACTLY_ONCE),
    /** They are written again, which changes nothing. */
    IDEMPOTENT(Guarantee.EXACTLY_ONCE),
    /** They are written again, and come twice. */
    AT_LEAST_ONCE(Guarantee.AT_LEAST_ONCE),
    /** They are written again, and rows on their way to the target may be lost. */
    NONE(Guarantee.NONE);

    private final Guarantee level;

    SinkGuarantee(Guarantee level) {
        this.level = level;
    }

    /** The most that it can promise. */
    public Guarantee level() {
        return level;
    }

    /** Whether rows wait for their epoch to be complete. */
    public boolean waitsForEpoch() {
        return this == TRANSACTIONAL || this == MARKED;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
