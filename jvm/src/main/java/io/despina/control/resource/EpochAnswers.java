package io.despina.control.resource;

import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import io.despina.runtime.host.FrozenEpoch;
import io.despina.runtime.host.JobEpochs;
import io.despina.snapshot.EpochFile;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Tells the coordinator what becomes of the epochs of one job here. */
final class EpochAnswers {
    private final Attempt attempt;
    private final ToCoordinator coordinator;
    private final JobEpochs tasks;
    /** Null in a job that keeps no state. */
    private final ResourceEpochs files;
    /** Up to which epoch the coordinator has an answer. Written by whoever completes one, and by control. */
    private final AtomicLong answered = new AtomicLong();
    /** Of control: the epoch that was being committed at the last look. */
    private long seen = Long.MAX_VALUE;
    /** Of control: what was said last of who is behind. */
    private Message.Behind said;

    EpochAnswers(Attempt attempt, ToCoordinator coordinator, JobEpochs tasks, ResourceEpochs files) {
        this.attempt = attempt;
        this.coordinator = coordinator;
        this.tasks = tasks;
        this.files = files;
    }

    /**
     * @param rowsLeft whether programs have let rows go that they had not read
     * @return whether it is about epochs
     */
    boolean received(Message message, BooleanSupplier rowsLeft) {
        if (message instanceof Message.Barrier barrier) {
            begin(barrier.epoch(), barrier.savepoint());
        } else if (message instanceof Message.Complete complete) {
            complete(complete.epoch(), complete.isLast(), rowsLeft);
        } else if (message instanceof Message.Drop drop) {
            drop(drop.epoch());
        } else {
            return false;
        }
        return true;
    }

    /** @param savepoint see {@link Message.Barrier} */
    private void begin(long epoch, long savepoint) {
        if (files != null) {
            files.savepoint(savepoint);
            files.drop(epoch - 1);
        }
        tellUncommitted(epoch);
        tasks.begin(epoch).thenCompose(this::written).whenComplete((frozen, failure) -> {
            Throwable why = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
            if (!(why instanceof CancellationException)) {
                answered.accumulateAndGet(epoch, Math::max);
            }
            if (why == null) {
                coordinator.tell(frozen);
            } else if (!(why instanceof CancellationException)) {    // else it was dropped, or the job's end says more
                coordinator.tell(new Message.NotFrozen(attempt, epoch, words(why)));
            }
        });
    }

    /** Epochs are committed while the next one freezes. One that was complete before the last barrier takes long. */
    private void tellUncommitted(long barrier) {
        long oldest = tasks.committing();
        if (oldest < barrier - 1) {
            tellBehind(oldest, tasks.uncommitted(oldest));
        }
    }

    /** Now and then. No barrier comes while what an attempt before has left is committed, nor behind the last epoch of a job. */
    void look() {
        long oldest = tasks.committing();
        if (files != null && oldest == seen && oldest != Long.MAX_VALUE) {
            tellBehind(oldest, tasks.uncommitted(oldest));
        }
        seen = oldest;
    }

    private void tellBehind(long epoch, String who) {
        Message.Behind behind = new Message.Behind(attempt, epoch, who);
        if (!who.isEmpty() && !behind.equals(said)) {
            said = behind;
            coordinator.tell(behind);
        }
    }

    private CompletableFuture<Message.Frozen> written(FrozenEpoch frozen) {
        CompletableFuture<EpochFile.Written> file = files == null ? CompletableFuture.completedFuture(null)
                : files.finish(frozen.epoch());
        return file.thenApply(written -> new Message.Frozen(attempt, frozen.epoch(), written, frozen.instances()));
    }

    private static String words(Throwable why) {
        return why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
    }

    private void complete(long epoch, boolean isLast, BooleanSupplier rowsLeft) {
        // if the job ends before, its end is told
        tasks.complete(epoch, isLast).thenRun(() ->
                coordinator.tell(new Message.Committed(attempt, epoch, isLast && rowsLeft.getAsBoolean())));
    }

    private void drop(long epoch) {
        if (files != null && epoch > answered.getAndAccumulate(epoch, Math::max)) {
            String who = tasks.unfrozen(epoch);
            tellBehind(epoch, who.isEmpty() ? "its disk" : who);
        }
        tasks.drop(epoch);
        if (files != null) {
            files.drop(epoch);
        }
    }
}
