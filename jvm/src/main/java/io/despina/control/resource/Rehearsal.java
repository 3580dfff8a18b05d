package io.despina.control.resource;

import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.PlanStates;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.StatePlace;
import io.despina.operator.Operator;
import io.despina.plan.PlannedOperator;
import io.despina.snapshot.RestoredStates;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.StateFolder;
import io.despina.state.Sections;
import io.despina.state.Share;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * Does what {@link Message.Deploy} would, for the whole graph, as far as that takes time and changes nothing. Code that has run
 * once is loaded and compiled: restoring a large state then takes a third of the time.
 */
final class Rehearsal {
    /** How much of a state is restored; what is behind that teaches nothing new. */
    private static final int MOST = 8 << 20;

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
     * @return how many bytes of states were restored
     */
    long run(String resource) {
        try {
            JobPlan planned = JobPlan.again(deploy, resource);
            planned.plan().operators().forEach(JobAgent::compile);
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
            if (kept != null && !over) {
                try (Operator operator = states.open(each)) {
                    new Share(0, kept.size(), planned.plan().settings().buckets()).restore(operator.states(),
                            kept.stream().map(this::some).toList());
                } catch (Enough enough) {
                    continue;
                }
            }
        }
    }

    /** The beginning of a state, without what has changed since. */
    private Sections some(Sections all) {
        return (state, k) -> new Some(all.section(state, 0));
    }

    private static final class Enough extends IOException {
        private static final long serialVersionUID = 1;
    }

    private final class Some extends FilterInputStream {
        private int left = MOST;

        Some(InputStream all) {
            super(all);
        }

        @Override
        public int read() throws IOException {
            count(1);
            return super.read();
        }

        @Override
        public int read(byte[] into, int at, int wanted) throws IOException {
            int read = super.read(into, at, wanted);
            count(Math.max(0, read));
            return read;
        }

        private void count(int read) throws Enough {
            left -= read;
            restored += read;
            if (left < 0 || over) {
                throw new Enough();
            }
        }
    }
}
