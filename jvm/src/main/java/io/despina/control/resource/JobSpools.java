package io.despina.control.resource;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.Spooling;
import io.despina.packet.Schema;
import io.despina.plan.Plan;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.spool.Spool;
import io.despina.spool.SpoolId;
import io.despina.spool.Spools;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The spools of a job's sink in this resource, by instance. They are here as soon as the job is ready, and outlive a job that
 * fails: what it had spooled may still be read, until its coordinator or this resource is gone.
 */
final class JobSpools {
    private static final String TEMPORARY = System.getProperty("java.io.tmpdir");

    private final Map<Integer, SpoolId> ids = new ConcurrentHashMap<>();
    private final Map<SpoolId, Schema> schemas = new ConcurrentHashMap<>();

    void open(Message.Deploy deploy, Plan plan, List<TaskSpec> tasks) {
        Spooling spooling = deploy.spooling();
        if (spooling == null) {
            return;
        }
        Spool.Options options = new Spool.Options(Path.of(spooling.folder() == null ? TEMPORARY : spooling.folder()),
                spooling.mostBytes(), spooling.untilTaken());
        Schema schema = plan.operator(spooling.sink()).inputs().get(0).schema();
        for (TaskSpec task : tasks) {
            for (StageSpec stage : task.stages()) {
                if (stage.operatorId().equals(spooling.sink())) {
                    SpoolId id = new SpoolId(spooling.generation(), stage.instance());
                    Spools.open(id, "`" + spooling.sink() + "` (instance " + stage.instance() + ")", options);
                    ids.put(stage.instance(), id);
                    schemas.put(id, schema);
                }
            }
        }
    }

    Spool of(int instance) {
        Spool spool = Spools.find(ids.get(instance));
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
        return ids.isEmpty();
    }

    /** Nobody will read its rows any more. */
    void release() {
        for (SpoolId id : ids.values()) {
            try {
                Spools.release(id);
            } catch (IOException e) {
                System.getLogger(JobSpools.class.getName()).log(System.Logger.Level.WARNING, "a spool did not close", e);
            }
        }
    }
}
