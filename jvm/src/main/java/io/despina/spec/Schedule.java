package io.despina.spec;

import java.util.List;

/** When a task is run (Granules' scheduling strategies). May be changed while the task runs. */
public sealed interface Schedule {

    /** Whenever a segment has arrived. */
    record Data() implements Schedule {
    }

    /** @param everyNanos from one run to the next; a run takes all that has arrived; also runs at the end */
    record Periodic(long everyNanos) implements Schedule {
        public Periodic {
            if (everyNanos <= 0) {
                throw new IllegalArgumentException("every_nanos=" + everyNanos + ": a period is greater than 0");
            }
        }
    }

    /** @param packets that must be queued before a run; also runs when the inbox reaches its high watermark, and at the end */
    record Count(long packets) implements Schedule {
        public Count {
            if (packets <= 0) {
                throw new IllegalArgumentException("packets=" + packets + ": a count is greater than 0");
            }
        }
    }

    /** As soon as one of these is due. */
    record Any(List<Schedule> of) implements Schedule {
        public Any {
            of = List.copyOf(of);
            if (of.isEmpty()) {
                throw new IllegalArgumentException("a schedule of type any names at least one other");
            }
        }
    }

    /** Not before another schedule is given. Only sources are held. */
    record Held() implements Schedule {
    }

    Schedule DATA = new Data();
}
