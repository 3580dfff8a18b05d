package io.despina.control.resource;

import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import io.despina.spool.KeptSpool;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** The rows of a job's collect sinks in this resource that stay on disk until Python has taken them. Thread-safe. */
public final class KeptOutputs {

    /**
     * Where they go.
     *
     * @param threads  read the disk, and may wait for the connection
     * @param failed   told why rows cannot be read
     * @param mostBytes of an instance that Python has not taken, before its sink waits
     */
    public record To(Attempt attempt, ToCoordinator coordinator, Executor threads, Consumer<Throwable> failed, long mostBytes) {
    }

    private record Place(String sink, int instance) {
    }

    private final Map<Place, KeptOutput> outputs = new ConcurrentHashMap<>();
    /** Null before it is deployed, and in a job whose rows go to Python at once. Written by the thread that deploys. */
    private volatile To to;

    public void begin(To wanted) {
        to = wanted;
    }

    boolean areKept() {
        return to != null;
    }

    private KeptOutput of(String sink, int instance) {
        return outputs.computeIfAbsent(new Place(sink, instance), place -> new KeptOutput(to, sink, instance));
    }

    public KeptSpool spool(String sink, int instance) {
        return of(sink, instance).spool();
    }

    public void had(Message.Had had) {
        if (areKept()) {
            of(had.sink(), had.instance()).had(had);
        }
    }

    /** The job is ending: what is in flight must be processed even if Python takes nothing. */
    void stop() {
        outputs.values().forEach(each -> each.spool().unbound());
    }

    /** Nothing more is sent. */
    public void close() {
        outputs.values().forEach(KeptOutput::close);
    }

    /** Whether rows wait for the next run of the job. */
    public boolean haveRowsLeft() {
        return outputs.values().stream().anyMatch(each -> each.spool().hasRowsLeft());
    }
}
