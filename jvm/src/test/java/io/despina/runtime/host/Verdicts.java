package io.despina.runtime.host;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** What a coordinator says to the parts of a job when their input has ended: commit, all of them, then end. */
public final class Verdicts {
    private Verdicts() {
    }

    public static void concludeTogether(List<JobHandle> parts) {
        all(parts, JobHandle::settled).thenRun(() -> parts.forEach(JobHandle::commit));
        all(parts, JobHandle::committed).thenRun(() -> parts.forEach(part -> part.conclude(!part.isCut())));
    }

    private static CompletableFuture<Void> all(List<JobHandle> parts, Function<JobHandle, CompletableFuture<Void>> step) {
        return CompletableFuture.allOf(parts.stream().map(step).toArray(CompletableFuture[]::new));
    }
}
