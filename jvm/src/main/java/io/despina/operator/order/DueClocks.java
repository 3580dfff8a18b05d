package io.despina.operator.order;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import io.despina.state.State;

/**
 * The clocks of keys whose packets do not wait, and for each its groups that have rows to give, and when the first of them is
 * due. Nothing is searched until a clock has come so far. A packet is judged by its clock, then taken, and then moves the clock;
 * what is due by it then leaves before the next packet is looked at. At the end of the input all clocks stop.
 */
public final class DueClocks {

    /** The groups of an operator, by their entries. */
    public interface DueGroups {
        /** When the group's next rows are due; {@code NEVER} if it has none, and is gone. */
        long due(int entry);

        /**
         * Gives the rows of a group that are due. What is due next comes later.
         *
         * @return false if there is no room for all of them: this is called again
         */
        boolean give(int entry) throws Exception;
    }

    private final Clocks of;
    private final DueGroups groups;
    private final KeyReader keys;
    private final ScratchPacket scratch;
    private final KeyedTable<DueClock> clocks;
    private final IdleKeys idle;
    /** The clock whose groups give their rows; null if none do. */
    private DueClock giving;
    /** At the end, how many clocks have been stopped. */
    private int stopped;

    public DueClocks(Clocks of, DueGroups groups, OperatorContext context) {
        this.of = of;
        this.groups = groups;
        keys = new KeyReader(of.keys(), context.instance());
        idle = new IdleKeys(context, of.idleMicros());
        scratch = new ScratchPacket(of.keys().schema().layout());
        clocks = new KeyedTable<>("clocks", of.keys().schema(), of.keys().dealing(), DueClock.FORMAT);
    }

    /** Packets come. @return the instant, for {@link DueClock#hear} */
    public long hear() {
        return idle.hear();
    }

    /** The clock of a packet's key, which begins if there is none. */
    public DueClock of(Packet packet) {
        Packet key = keys.of(packet);
        int entry = clocks.find(key);
        if (entry != KeyedTable.NONE) {
            return clocks.get(entry);
        }
        DueClock clock = new DueClock();
        clock.entry = clocks.add(key, clock);
        return clock;
    }

    /** A group that is new has rows to give. */
    public void add(DueClock clock, int group) {
        clock.add(group);
        clocks.recount(clock.entry);
    }

    /** A group of the clock is due then, and was not before. */
    public void isDue(DueClock clock, long due) {
        clock.due = Math.min(clock.due, due);
    }

    /** A packet of that time has been taken. */
    public void advance(DueClock clock, long time) {
        if (time <= clock.greatest()) {
            return;
        }
        clocks.edit(clock.entry);
        clock.advance(time, of.watermark(time));
        reached(clock);
    }

    private void reached(DueClock clock) {
        if (clock.due <= clock.watermark()) {
            giving = clock;
        }
    }

    /** Whether rows of the packet taken last have not left. */
    public boolean isGiving() {
        return giving != null;
    }

    /**
     * Gives what is due by the clock that the packet taken last has moved.
     *
     * @return false if there is no room: call again before the next packet
     */
    public boolean give() throws Exception {
        if (giving != null && !give(giving)) {
            return false;
        }
        giving = null;
        return true;
    }

    private boolean give(DueClock clock) throws Exception {
        while (clock.due <= clock.watermark() && clock.due != NEVER) {
            while (clock.asked < clock.count()) {
                int entry = clock.group(clock.asked);
                if (groups.due(entry) == clock.due && !groups.give(entry)) {
                    return false;
                }
                if (groups.due(entry) == NEVER) {
                    clock.removeAt(clock.asked);
                } else {
                    clock.asked++;
                }
            }
            clock.asked = 0;
            clock.due = first(clock);
        }
        return true;
    }

    private long first(DueClock clock) {
        long first = NEVER;
        for (int k = 0; k < clock.count(); k++) {
            first = Math.min(first, groups.due(clock.group(k)));
        }
        return first;
    }

    /**
     * Called by {@link Operator#timer}. Moves on the clocks of keys that have fallen silent, and gives what is due by them.
     *
     * @param micros since 1970
     * @param reach  how far beyond a key's last packet rows may be due, in microseconds
     * @return false if there is no room: call again
     */
    public boolean timer(long micros, long reach) throws Exception {
        return idle.look(micros, clocks.limit(), (entry, since) -> {
            DueClock clock = clocks.get(entry);
            if (giving == null && clock != null && clock.isSilent(since)) {
                clocks.edit(entry);
                clock.moveOn(reach);
                reached(clock);
            }
            return give();
        });
    }

    /**
     * Stops all clocks: everything is due.
     *
     * @return false if there is no room: call again
     */
    public boolean end() throws Exception {
        for (; stopped < clocks.limit(); stopped++) {
            DueClock clock = clocks.get(stopped);
            if (clock != null) {
                clock.stop();
                if (!give(clock)) {
                    return false;
                }
            }
        }
        return true;
    }

    public State state() {
        return clocks;
    }

    /** The clocks are restored; their groups are added again then. */
    public void restored() {
        giving = null;
        stopped = 0;
        long now = idle.restored();
        for (int entry = 0; entry < clocks.limit(); entry++) {
            DueClock clock = clocks.get(entry);
            if (clock != null) {
                clock.entry = entry;
                clock.restored(of.watermark(clock.greatest()), now);
            }
        }
    }

    /** The clock by which a group goes that is restored. */
    public DueClock ofGroup(Packet group) {
        return clocks.get(clocks.find(of.of(group, scratch)));
    }
}
