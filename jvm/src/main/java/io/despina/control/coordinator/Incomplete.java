package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Refusal;
import java.util.Collection;
import java.util.stream.Collectors;

/** The errors of jobs that ended in time, but not whole. */
final class Incomplete {
    static final String COMMIT = "the job could not commit in time";
    private static final String RULE = "incomplete";
    private static final String MORE_TIME = "--drain-ms gives it more time";

    private Incomplete() {
    }

    /**
     * Packets that are in no row of the output.
     *
     * @param undelivered in flight
     * @param held        in operators
     */
    record Lost(long undelivered, long held) {
        private String words() {
            String flying = undelivered == 0 ? "" : packets(undelivered) + " in flight";
            String kept = held == 0 ? "" : packets(held) + " in operators";
            return flying + (flying.isEmpty() || kept.isEmpty() ? "" : " and ") + kept
                    + (undelivered + held == 1 ? " was dropped" : " were dropped");
        }

        private static String packets(long count) {
            return count + (count == 1 ? " packet" : " packets");
        }

        private boolean isNothing() {
            return undelivered == 0 && held == 0;
        }
    }

    /** @param late members that were not heard from */
    static Refusal commit(Collection<Member> late) {
        return new Refusal(RULE, COMMIT + silence(late), null);
    }

    static String drained(long millis) {
        return "the job did not drain within " + millis + " ms";
    }

    /**
     * @param what   it did not do in time
     * @param epochs that are complete, and not committed
     * @param late   members that were not heard from
     */
    static Refusal left(String what, String epochs, Collection<Member> late) {
        return new Refusal(RULE, what + ": its sinks have not committed " + epochs + "; the next run with this state does"
                + (late.isEmpty() ? "" : silence(late)), MORE_TIME);
    }

    /**
     * @param late members that were not heard from
     * @param lost what the time did not suffice for
     */
    static Refusal drain(long millis, Collection<Member> late, Lost lost) {
        String why = drained(millis);
        if (!late.isEmpty()) {
            return new Refusal(RULE, why + silence(late), null);
        }
        return new Refusal(RULE, why + ": " + (lost.isNothing() ? "no packet was lost" : lost.words())
                + "; sinks committed what they had", lost.isNothing() ? null : MORE_TIME);
    }

    private static String silence(Collection<Member> late) {
        return ": no more was heard from resource "
                + late.stream().map(member -> "`" + member.name() + "`").sorted().collect(Collectors.joining(", "));
    }
}
