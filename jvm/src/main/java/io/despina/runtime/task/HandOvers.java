package io.despina.runtime.task;

import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.state.Sections;
import io.despina.state.SlicedSections;
import io.despina.state.WrittenPart;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What instances of operators hand over to others when buckets of keys move. Within the resource that is a reference. From
 * another one it is fetched slice by slice, a few at a time: as many as are on their way, the connection carries beside its
 * heartbeats. A job has one move at a time, so an instance hands over to another once before that takes it. Any thread may call
 * it; slices come, and are asked for, in order.
 */
public final class HandOvers {
    /** Each way takes its time; one after the other would wait for it as often as there are slices. */
    static final int UNDER_WAY = 4;

    private final Set<JobSnapshots.Instance> here;
    private final Map<Way, CompletableFuture<Sections>> coming = new ConcurrentHashMap<>();
    /** To other resources. */
    private final Map<Way, CompletableFuture<List<WrittenPart.Slice>>> leaving = new ConcurrentHashMap<>();
    private final Map<Way, SlicedSections> fetched = new ConcurrentHashMap<>();
    /** Written (volatile) before the tasks run. */
    private volatile Consumer<Fetch> fetches;

    /** From an instance of an operator to another. */
    public record Way(String operator, int from, int to) {
    }

    /** Asks for a slice of what comes from another resource. @param slice from 0 */
    public record Fetch(Way way, int slice) {
    }

    /** A slice that was asked for. @param of so many */
    public record Fetched(Way way, int slice, WrittenPart.Slice content, int of) {
    }

    /** @param tasks of the job, in this resource */
    HandOvers(Collection<TaskSpec> tasks) {
        here = tasks.stream().map(task -> task.stages().get(0)).filter(stage -> stage.role() != StageSpec.Role.PARTIAL)
                .map(stage -> new JobSnapshots.Instance(stage.operatorId(), stage.instance())).collect(Collectors.toSet());
    }

    /** How other resources are asked, before the tasks run. */
    public void fetchBy(Consumer<Fetch> others) {
        fetches = others;
    }

    /** Whether who takes is in this resource. */
    boolean isTakerHere(Way way) {
        return here.contains(new JobSnapshots.Instance(way.operator, way.to));
    }

    /** Hands over everything that an instance keeps to one in this resource, which takes only its part. */
    void give(Way way, Sections kept) {
        coming(way).complete(kept);
    }

    /** Hands over the part of an instance in another resource. */
    void give(Way way, List<WrittenPart.Slice> part) {
        leaving(way).complete(part);
    }

    private CompletableFuture<Sections> coming(Way way) {
        return coming.computeIfAbsent(way, any -> new CompletableFuture<>());
    }

    private CompletableFuture<List<WrittenPart.Slice>> leaving(Way way) {
        return leaving.computeIfAbsent(way, any -> new CompletableFuture<>());
    }

    /** Completes when it is there, on another thread. */
    CompletableFuture<Sections> take(Way way) {
        if (!here.contains(new JobSnapshots.Instance(way.operator, way.from))) {
            fetched.put(way, new SlicedSections());
            fetches.accept(new Fetch(way, 0));
        }
        return coming(way);
    }

    /** It is taken. */
    void taken(Way way) {
        coming.remove(way);
    }

    /** Another resource asks for a slice, and is answered when it is there. */
    public void fetch(Fetch asked, Consumer<Fetched> answer) {
        leaving(asked.way).thenAccept(slices -> {
            if (asked.slice == slices.size() - 1) {
                leaving.remove(asked.way);
            }
            answer.accept(new Fetched(asked.way, asked.slice, slices.get(asked.slice), slices.size()));
        });
    }

    /** A slice has come. */
    public void fetched(Fetched slice) {
        SlicedSections all = fetched.get(slice.way);
        all.add(slice.content.state(), slice.content.bytes());
        if (slice.slice == slice.of - 1) {
            fetched.remove(slice.way);
            coming(slice.way).complete(all);
            return;
        }
        // how many there are is known with the first one
        int first = slice.slice == 0 ? 1 : slice.slice + UNDER_WAY;
        for (int next = first; next <= slice.slice + UNDER_WAY && next < slice.of; next++) {
            fetches.accept(new Fetch(slice.way, next));
        }
    }
}
