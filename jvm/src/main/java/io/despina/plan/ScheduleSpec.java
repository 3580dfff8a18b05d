package io.despina.plan;

import java.util.List;

/** When an operator runs (Granules). */
public sealed interface ScheduleSpec {

    /** Whenever there is input. */
    record Data() implements ScheduleSpec {
    }

    record Periodic(long everyMs) implements ScheduleSpec {
    }

    /** When so many packets wait; also when the inbox is at its high watermark, and at the end. */
    record Count(long packets) implements ScheduleSpec {
    }

    /** As soon as one of them would. */
    record Any(List<ScheduleSpec> of) implements ScheduleSpec {
        public Any {
            of = List.copyOf(of);
        }
    }
}
