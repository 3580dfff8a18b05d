package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Refusal;
import java.util.Collection;
import java.util.stream.Collectors;

/** The errors of jobs that ended in time, but not whole. */
final class Incomplete {
    private static final String RULE = "incomplete";

    private Incomplete() {
    }

    /** @param late members that were not heard from */
    static Refusal commit(Collection<Member> late) {
        return new Refusal(RULE, "the job could not commit in time" + silence(late), null);
    }

    /**
     * @param late        members that were not heard from
     * @param undelivered packets
     */
    static Refusal drain(long millis, Collection<Member> late, long undelivered) {
        String why = "the job did not drain within " + millis + " ms";
        if (!late.isEmpty()) {
            return new Refusal(RULE, why + silence(late), null);
        }
        return new Refusal(RULE, why + ": " + (undelivered == 0 ? "no packet was lost"
                : undelivered + (undelivered == 1 ? " packet in flight was dropped" : " packets in flight were dropped"))
                + "; sinks committed what they had", undelivered == 0 ? null : "--drain-ms gives it more time");
    }

    private static String silence(Collection<Member> late) {
        return ": no more was heard from resource "
                + late.stream().map(member -> "`" + member.name() + "`").sorted().collect(Collectors.joining(", "));
    }
}
