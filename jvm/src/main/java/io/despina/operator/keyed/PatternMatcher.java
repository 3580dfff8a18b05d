package io.despina.operator.keyed;

import static io.despina.spec.Never.NEVER;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.operator.order.EndOfClocks;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.Ordered;
import io.despina.operator.order.OrderedOperator;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import java.util.Arrays;
import java.util.List;

/**
 * Finds packets of a group that come one after the other and fit the steps of a pattern; packets that fit none are passed over.
 * A packet that fits the first step begins a run. A run takes each packet with the farthest step that it can, never goes back,
 * and is complete with the packet that makes it so. Ports: in; out, late, timeout.
 */
public final class PatternMatcher implements OrderedOperator {

    /**
     * A step. The first one and the last one are neither optional nor {@code not}.
     *
     * @param where    over (packet, run)
     * @param not      whether a packet that fits ends the run, between the steps on both sides
     * @param optional whether it may be left out
     * @param atLeast  packets that it takes before the next step
     */
    public record Step(Compiled<Predicate> where, boolean not, boolean optional, long atLeast, long atMost) {
    }

    /**
     * A pattern.
     *
     * @param within from the first packet of a match to its last, both included, in microseconds; {@code NEVER}
     * @param toNext whether other runs go on after a match, and its last packet may begin one
     * @param select over (last packet taken, run)
     */
    public record Options(Keys keys, List<Step> steps, long within, boolean toNext, RunLayout layout,
            Compiled<Projection> select) {
        public Options {
            steps = List.copyOf(steps);
        }
    }

    private static final int TIMEOUT = 2;
    /** What a packet does to a run, if it is not taken by a step. */
    private static final int PASSED_OVER = -1;
    private static final int ENDS = -2;
    private static final int NONE = -1;

    private final EventOrder order;
    private final Options options;
    private final Step[] steps;
    private final Predicate[] where;

    private OperatorContext context;
    private Output out;
    private Output timeout;
    private Ordered ordered;
    private KeyReader keys;
    private Projection select;
    private Runs runs;
    private KeyedTable<GroupRuns> groups;
    /** The group that has complete runs to be emitted; or {@link #NONE}. */
    private int complete = NONE;
    private EndOfClocks atEnd;

    private int[] decisions = new int[4];
    private final Packet[] two = new Packet[2];

    /** @param order of the input's packets */
    public PatternMatcher(EventOrder order, Options options) {
        this.order = order;
        this.options = options;
        steps = options.steps().toArray(Step[]::new);
        where = new Predicate[steps.length];
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        timeout = opened.output(TIMEOUT);
        keys = new KeyReader(options.keys(), opened.instance());
        select = options.select().instance(opened.instance());
        for (int k = 0; k < steps.length; k++) {
            where[k] = steps[k].where().instance(opened.instance());
        }
        runs = new Runs(opened.input(0), options.layout());
        atEnd = runs.atEnd(clock -> giveUp(clock, Long.MAX_VALUE));
        groups = new KeyedTable<>("runs", options.keys().schema(), options.keys().dealing(), runs.format());
        ordered = new Ordered(opened, new Ordered.Packets(order, options.keys(), keys),
                new OperatorState(opened).with(groups).counting(runs::bytes), this);
    }

    @Override
    public Ordered ordered() {
        return ordered;
    }

    @Override
    public long reach() {
        return options.within() == NEVER ? 1 : EventOrder.plus(options.within(), 1);
    }

    @Override
    public boolean takeReady(InOrder input) throws Exception {
        boolean done = emitComplete();
        while (done && input.isReady()) {
            long time = input.headTime();
            done = giveDue(time) && context.hasRoom();
            if (done) {
                take(input.head(), time);
                input.dropHead();
                done = emitComplete();
            }
        }
        return done && giveDue(input.watermark());
    }

    private void take(Packet packet, long time) throws Exception {
        try {
            Packet key = keys.of(packet);
            int entry = groups.find(key);
            GroupRuns own = entry == KeyedTable.NONE ? null : groups.get(entry);
            boolean taken = own != null && decide(own, packet);
            boolean begins = fits(0, packet, runs.blank());
            if (taken) {
                groups.edit(entry);
                boolean matched = advance(own, packet);
                begins = begins && (options.toNext() || !matched);
            }
            if (begins) {
                entry = begin(entry, key, packet, time);
            }
            if (taken || begins) {
                settle(entry);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }

    /** Decides for every run before any is changed: a condition may fail. @return whether a run is to change */
    private boolean decide(GroupRuns own, Packet packet) {
        if (decisions.length < own.size()) {
            decisions = Arrays.copyOf(decisions, Math.max(own.size(), 2 * decisions.length));
        }
        boolean any = false;
        for (int k = 0; k < own.size(); k++) {
            int run = own.run(k);
            decisions[k] = run == GroupRuns.NONE ? PASSED_OVER : decision(runs.packet(run), packet);
            any |= decisions[k] != PASSED_OVER;
        }
        return any;
    }

    /** The step that takes the packet, {@link #PASSED_OVER}, or {@link #ENDS}. */
    private int decision(Packet run, Packet packet) {
        int at = RunLayout.step(run);
        long taken = RunLayout.taken(run);
        int farthest = PASSED_OVER;
        if (taken >= steps[at].atLeast()) {
            boolean passes = true;
            for (int k = at + 1; passes; k++) {
                boolean fits = fits(k, packet, run);
                if (steps[k].not() && fits) {
                    return farthest == PASSED_OVER ? ENDS : farthest;
                }
                if (!steps[k].not()) {
                    farthest = fits ? k : farthest;
                    passes = steps[k].optional();
                }
            }
        }
        if (farthest == PASSED_OVER && taken < steps[at].atMost() && fits(at, packet, run)) {
            return at;
        }
        return farthest;
    }

    private boolean fits(int step, Packet packet, Packet run) {
        two[0] = packet;
        two[1] = run;
        return where[step].test(two);
    }

    /** @return whether a run is complete */
    private boolean advance(GroupRuns own, Packet packet) {
        boolean matched = false;
        for (int k = 0; k < own.size(); k++) {
            int run = own.run(k);
            int step = decisions[k];
            if (run != GroupRuns.NONE && (step == ENDS || matched && !options.toNext())) {
                runs.end(run);
            } else if (step != PASSED_OVER) {
                matched |= step(own, k, step, packet);
            }
        }
        if (matched && !options.toNext()) {
            for (int k = 0; k < own.size(); k++) {
                if (runs.isLive(own.run(k)) && !runs.isComplete(own.run(k))) {
                    runs.end(own.run(k));
                }
            }
        }
        return matched;
    }

    /** @return whether the run is complete */
    private boolean step(GroupRuns own, int k, int step, Packet packet) {
        Packet before = runs.packet(own.run(k));
        long taken = step == RunLayout.step(before) ? RunLayout.taken(before) + 1 : 1;
        boolean last = step == steps.length - 1 && taken >= steps[step].atLeast();
        runs.advance(own, k, packet, step, taken, last);
        return last;
    }

    private int begin(int entry, Packet key, Packet packet, long time) {
        int group = entry;
        if (group == KeyedTable.NONE) {
            group = groups.add(key, new GroupRuns());
        }
        boolean last = steps.length == 1 && steps[0].atLeast() <= 1;
        runs.begin(groups.edit(group), group, packet, new Runs.Start(ordered.clock(), time, last));
        return group;
    }

    /** After a change: forgets the runs that have ended, and the group if it has none. */
    private void settle(int entry) {
        GroupRuns own = groups.get(entry);
        runs.sweep(own);
        if (own.live() == 0) {
            groups.remove(entry);
        } else {
            groups.recount(entry);
            complete = runs.hasComplete(own) ? entry : NONE;
        }
        ordered.report();
    }

    /** @return false if there is no room */
    private boolean emitComplete() throws Exception {
        while (complete != NONE) {
            GroupRuns own = groups.get(complete);
            for (int k = 0; k < own.size(); k++) {
                if (runs.isComplete(own.run(k))) {
                    if (!context.hasRoom()) {
                        return false;
                    }
                    groups.edit(complete);
                    emit(out, own.run(k));
                    runs.end(own.run(k));
                    break;
                }
            }
            settle(complete);
            complete = own.live() > 0 && runs.hasComplete(own) ? complete : NONE;
        }
        return true;
    }

    /** Ends the runs whose time is over before {@code time}. */
    @Override
    public boolean giveDue(long time) throws Exception {
        if (options.within() == NEVER) {
            return true;
        }
        return time == Long.MAX_VALUE ? atEnd.give() : giveUp(ordered.clock(), time);
    }

    private boolean giveUp(int clock, long time) throws Exception {
        for (int run = runs.first(clock); run != NONE; run = runs.first(clock)) {
            if (!EventOrder.passed(time, EventOrder.plus(RunLayout.start(runs.packet(run)), options.within()))) {
                return true;
            }
            if (!timeout.hasRoom() || !context.hasRoom()) {
                return false;
            }
            int group = runs.group(run);
            groups.edit(group);
            emit(timeout, run);
            runs.end(run);
            settle(group);
        }
        return true;
    }

    private void emit(Output to, int run) throws Exception {
        two[1] = runs.packet(run);
        two[0] = runs.lastOf(two[1]);
        try {
            PacketWriter row = to.writer().begin();
            select.apply(two, row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord("a run: " + Reason.of(bad), "");
        }
    }

    @Override
    public void restoreQueues() {
        atEnd.restored();
        Packet view = new Packet(options.keys().schema().layout());
        runs.restored(groups, group -> {
            groups.key(group, view);
            return ordered.clockOf(view);
        });
        for (int k = 0; k < groups.limit() && complete == NONE; k++) {
            GroupRuns own = groups.get(k);
            complete = own != null && runs.hasComplete(own) ? k : NONE;
        }
    }
}
