package io.despina.runtime.task;

import io.despina.runtime.host.JobHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** What a coordinator says to the parts of a job when their input has ended: a last epoch, all of them, then end. */
public final class Verdicts {
    private static final long LAST = 1L << 40;

    private Verdicts() {
    }

    public static void concludeTogether(List<JobHandle> parts) {
        all(parts, JobHandle::settled)
                .thenCompose(settled -> all(parts, part -> part.epochs().begin(LAST)))
                .thenCompose(frozen -> all(parts, part -> part.epochs().complete(LAST, true)))
                .thenRun(() -> parts.forEach(part -> part.conclude(!part.isCut())));
    }

    private static CompletableFuture<Void> all(List<JobHandle> parts, Function<JobHandle, CompletableFuture<?>> step) {
        return CompletableFuture.allOf(parts.stream().map(step).toArray(CompletableFuture[]::new));
    }
}
