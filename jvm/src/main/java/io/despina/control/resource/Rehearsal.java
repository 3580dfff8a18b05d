package io.despina.control.resource;

import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.PlanStates;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.StatePlace;
import io.despina.operator.Operator;
import io.despina.plan.PlannedOperator;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.MemoryStore;
import io.despina.snapshot.RestoredStates;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.StateFolder;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;

/**
 * Does what {@link Message.Deploy} would, for the whole graph, as far as that takes time and changes nothing. Code that has run
 * once is loaded and compiled, so a large state is restored sooner, and its first snapshot takes less time.
 */
final class Rehearsal {
    /** How many entries of a state are restored, and written again; more teach nothing new. */
    private static final int MOST = 200_000;
    /** How large it may become by that: who stands by has little use for its memory, but must keep some for the part it takes. */
    private static final long MOST_BYTES = 16 << 20;

    private final Message.Deploy deploy;
    private final StateStores stores;
    private volatile boolean over;
    private long restored;

    Rehearsal(Message.Deploy deploy, StateStores stores) {
        this.deploy = deploy;
        this.stores = stores;
    }

    /** Ends it soon: there is work in earnest. */
    void end() {
        over = true;
    }

    /**
     * @param resource its name
     * @return how many entries of states were restored
     */
    long run(String resource) {
        try {
            JobPlan planned = JobPlan.again(deploy, resource);
            planned.plan().operators().forEach(OperatorsHere::compile);
            StatePlace place = deploy.state();
            if (place != null && place.from() > 0) {
                restore(planned, place);
            }
        } catch (Exception | LinkageError unusable) {
            // whoever deploys it in earnest is told
            System.getLogger(Rehearsal.class.getName()).log(System.Logger.Level.DEBUG, "not rehearsed", unusable);
        }
        return restored;
    }

    private void restore(JobPlan planned, StatePlace place) throws Exception {
        SnapshotStore store = stores.stores().open(place.address());
        RestoredStates from = new RestoredStates(store, StateFolder.at(store, place.graph()).read(place.from()));
        PlanStates states = new PlanStates(planned.plan());
        for (PlannedOperator each : states.quiet().toList()) {
            List<Sections> kept = from.of(each.id());
            if (kept != null && !kept.isEmpty() && kept.get(0).pieces() > 0 && !over) {
                try (Operator operator = states.open(each)) {
                    Sections base = kept.get(0);
                    practise(operator.states(), (state, k) -> base.section(state, 0));
                }
            }
        }
    }

    /** @param base without what has changed since */
    private void practise(List<State> states, Sections base) throws IOException {
        for (State state : states) {
            long most = restored + MOST;
            Share.practise(state, base, () -> restored++ < most && state.bytes() < MOST_BYTES && !over);
        }
        try (InstanceSnapshot snapshot = new EpochFile(new MemoryStore(), "practice", Runnable::run)
                .begin("practised", 0, states, () -> { })) {
            while (!over && snapshot.write() != InstanceSnapshot.SliceResult.DONE) {
                Thread.onSpinWait();
            }
        }
    }
}
