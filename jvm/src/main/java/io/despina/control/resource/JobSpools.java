package io.despina.control.resource;

import io.despina.control.protocol.Spooling;
import io.despina.packet.Schema;
import io.despina.plan.Plan;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.spool.KeptSpool;
import io.despina.spool.Spool;
import io.despina.spool.SpoolId;
import io.despina.spool.Spools;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The spools of a job's sinks in this resource. They are here as soon as the job is ready, and outlive a job that
 * fails: what it had spooled may still be read, until its coordinator or this resource is gone.
 */
final class JobSpools {
    private static final String TEMPORARY = System.getProperty("java.io.tmpdir");

    /** Of the rows in each. */
    private final Map<SpoolId, Schema> schemas = new ConcurrentHashMap<>();
    /** Those that stay over attempts; also when they have been let go. */
    private final Queue<KeptSpool> kept = new ConcurrentLinkedQueue<>();
    /** Null before, and if no rows are read from disk. */
    private volatile Spooling spooling;
    private volatile boolean isKept;

    /** @param logged whether operators keep logs: then rows stay over attempts */
    void begin(Spooling wanted, boolean logged) {
        spooling = wanted;
        isKept = logged;
    }

    void open(Plan plan, List<TaskSpec> tasks) {
        if (spooling == null) {
            return;
        }
        Spool.Options options = new Spool.Options(Path.of(spooling.folder() == null ? TEMPORARY : spooling.folder()),
                spooling.mostBytes(), spooling.untilTaken(), spooling.atOnce());
        for (TaskSpec task : tasks) {
            for (StageSpec stage : task.stages()) {
                String sink = stage.operatorId();
                if (spooling.sinks().contains(sink)) {
                    SpoolId id = spooling.id(sink, stage.instance());
                    String name = "`" + sink + "` (instance " + stage.instance() + ")";
                    if (isKept) {
                        kept.add(Spools.keep(id, name, options));
                    } else {
                        Spools.open(id, name, options);
                    }
                    schemas.put(id, plan.operator(sink).inputs().get(0).schema());
                }
            }
        }
    }

    /** Whether rows of collect sinks stay too, until Python has taken them. */
    boolean keepCollected() {
        return isKept && (spooling == null || !spooling.atOnce());
    }

    /** Whether its rows stay over attempts. */
    boolean areKept() {
        return isKept;
    }

    /** Whether programs have let rows go that they had not read: the job is not over, since they may come back for them. */
    boolean haveRowsLeft() {
        return kept.stream().anyMatch(KeptSpool::hasRowsLeft);
    }

    Spool of(String sink, int instance) {
        Spool spool = Spools.find(spooling.id(sink, instance));
        if (spool == null) {
            throw new IllegalStateException("its rows are not wanted any more");
        }
        return spool;
    }

    /** Null if they are none of these. */
    Schema schema(SpoolId id) {
        return schemas.get(id);
    }

    boolean isEmpty() {
        return schemas.isEmpty();
    }

    /** The job has failed: whoever reads rows of a job that runs elsewhere would wait for more. */
    void fail(String why) {
        if (spooling != null && (isKept || spooling.untilTaken())) {
            schemas.keySet().stream().map(Spools::find).filter(Objects::nonNull).forEach(spool -> spool.fail(why));
        }
    }

    /** Nobody will read its rows any more. */
    void release() {
        for (SpoolId id : schemas.keySet()) {
            try {
                Spools.release(id);
            } catch (IOException e) {
                System.getLogger(JobSpools.class.getName()).log(System.Logger.Level.WARNING, "a spool did not close", e);
            }
        }
    }
}
