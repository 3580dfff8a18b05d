package io.despina.runtime.task;

import io.despina.spec.Schedule;
import java.util.List;

/** The schedule of one task: whether the task may take a segment now. Only the task's thread calls it. */
interface Gate {

    boolean isOpen(long now);

    /** There is nothing left to take. */
    void exhausted();

    /** When it may open by itself, or {@link Long#MAX_VALUE}. */
    long deadline(long now);

    static Gate of(Schedule schedule, Inputs inputs, long now) {
        if (schedule instanceof Schedule.Periodic periodic) {
            return new Periodic(periodic.everyNanos(), inputs, now);
        }
        if (schedule instanceof Schedule.Count count) {
            return inputs == null ? new Always() : new Count(count.packets(), inputs);
        }
        if (schedule instanceof Schedule.Any any) {
            return new Any(any.of().stream().map(one -> of(one, inputs, now)).toList());
        }
        return schedule instanceof Schedule.Held ? new Shut() : new Always();
    }

    /** Of a source that is held. */
    final class Shut implements Gate {
        @Override
        public boolean isOpen(long now) {
            return false;
        }

        @Override
        public void exhausted() {
        }

        @Override
        public long deadline(long now) {
            return Long.MAX_VALUE;
        }
    }

    /** Data-driven. */
    final class Always implements Gate {
        @Override
        public boolean isOpen(long now) {
            return true;
        }

        @Override
        public void exhausted() {
        }

        @Override
        public long deadline(long now) {
            return Long.MAX_VALUE;
        }
    }

    /** Opens at each tick, for a barrier, and at the end; ticks that were missed are not made up for. */
    final class Periodic implements Gate {
        private final long every;
        private final Inputs inputs;
        private long tick;
        private boolean open;

        /** @param inputs null for a source */
        Periodic(long every, Inputs inputs, long now) {
            this.every = every;
            this.inputs = inputs;
            tick = now + every;
        }

        @Override
        public boolean isOpen(long now) {
            if (now >= tick) {
                open = true;
                tick += (now - tick) / every * every + every;
            }
            open |= inputs != null && inputs.hasSignal();
            return open;
        }

        @Override
        public void exhausted() {
            open = false;
        }

        @Override
        public long deadline(long now) {
            return open ? Long.MAX_VALUE : tick;
        }
    }

    /** Opens when enough packets wait, or waiting for more is of no use. */
    final class Count implements Gate {
        /** A channel wakes its task only when a segment arrives in an empty queue, so the count is looked up this often. */
        private static final long LOOK_AGAIN = 1_000_000;
        private final long packets;
        private final Inputs inputs;
        private boolean open;

        Count(long packets, Inputs inputs) {
            this.packets = packets;
            this.inputs = inputs;
        }

        @Override
        public boolean isOpen(long now) {
            open = open || inputs.waiting() >= packets || inputs.isUrgent();
            return open;
        }

        @Override
        public void exhausted() {
            open = false;
        }

        @Override
        public long deadline(long now) {
            return !open && inputs.hasNext() ? now + LOOK_AGAIN : Long.MAX_VALUE;
        }
    }

    /** Opens when one of several does. */
    final class Any implements Gate {
        private final List<Gate> gates;

        Any(List<Gate> gates) {
            this.gates = gates;
        }

        @Override
        public boolean isOpen(long now) {
            boolean open = false;
            for (Gate gate : gates) {
                open |= gate.isOpen(now);
            }
            return open;
        }

        @Override
        public void exhausted() {
            gates.forEach(Gate::exhausted);
        }

        @Override
        public long deadline(long now) {
            return gates.stream().mapToLong(gate -> gate.deadline(now)).min().orElse(Long.MAX_VALUE);
        }
    }
}
