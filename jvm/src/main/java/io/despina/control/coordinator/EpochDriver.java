package io.despina.control.coordinator;

import io.despina.control.epoch.EpochDecisions;
import io.despina.control.epoch.EpochProgress;
import io.despina.control.epoch.EpochStep;
import io.despina.control.epoch.Intake;
import io.despina.control.members.Environment;
import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import io.despina.operator.Reason;
import io.despina.runtime.task.FrozenInstance;
import io.despina.snapshot.CommitPermit;
import io.despina.snapshot.FencedException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Does what {@link EpochDecisions} decide about the epochs of an attempt: sends messages, keeps the time, and has the state
 * folder read and written aside. Guarded by the lock of its {@link JobAttempt}, under which nothing waits for a disk.
 */
final class EpochDriver {

    /** How the attempt ends. */
    enum Ending {
        /** Every task has passed the end of its input, and the last epoch is taken. */
        BEGINS,
        /** The last epoch is committed. */
        COMMITTED,
        /** There is no last epoch: the one before it counts. */
        ABANDONED
    }

    /** So many epochs after another, the folder is cleared of what nobody needs. */
    private static final int COLLECT_EVERY = 10;

    private final JobAttempt owner;
    private final Attempt attempt;
    private final KeptEpochs kept;
    private final Environment environment;
    private final EpochHistory history;
    private final GivenEpochs given;
    /** By name; in order, so that a simulation replays exactly. */
    private final Map<String, Member> members = new LinkedHashMap<>();
    /** The parts of the epoch that is being frozen, by member. */
    private final Map<String, Message.Frozen> parts = new LinkedHashMap<>();
    /** By epoch; what has no permit is not told to be complete. */
    private final Map<Long, CommitPermit> permits = new HashMap<>();
    private final ChangedSchedules schedules = new ChangedSchedules();
    /** Null before the tasks run. */
    private EpochProgress facts;
    private Future<?> alarm;
    private boolean closed;
    private boolean collects;
    private CompletableFuture<Void> still;     // of who wants no epoch to be frozen; or null
    private final AsideWork aside;
    private final WantedSavepoint savepoint;
    /** Of the last epoch of a job that ends well; null before, and once its mark is written. */
    private LastEpoch concluded;
    private boolean rowsLeft;

    EpochDriver(JobAttempt owner, KeptEpochs kept, Environment environment) {
        this.owner = owner;
        attempt = owner.attempt();
        this.kept = kept;
        this.environment = environment;
        history = new EpochHistory(kept.begin());
        aside = new AsideWork(environment.aside(), owner::locked);
        savepoint = new WantedSavepoint(environment.aside());
        given = owner.exchange().given();
        if (kept.areKept()) {
            given.keep(kept.given(), change -> owner.locked(() -> {
                change.run();
                drive();
            }));
        }
    }

    KeptEpochs kept() {
        return kept;
    }

    /** Before the tasks run. @param told of each epoch that is kept, under the lock */
    void whenComplete(Consumer<CommitPermit> told) {
        history.whenComplete(told);
    }

    private long millis() {
        return TimeUnit.NANOSECONDS.toMillis(environment.clock().getAsLong());
    }

    ChangedSchedules schedules() {
        return schedules;
    }

    /** The tasks of all members run. */
    void start(Collection<Member> all) {
        all.forEach(member -> members.put(member.name(), member));
        KeptEpochs.Begin begin = kept.begin();
        long from = begin.place() == null ? 0 : begin.place().from();
        if (begin.replay() != null) {
            permits.put(begin.replay().epoch(), begin.replay());
        }
        long begun = kept.taken() == null ? 0 : kept.taken().giveUpEpoch();
        facts = EpochProgress.of(begin.everyMillis(), members.keySet(),
                new EpochProgress.Start(millis(), from, begin.replay() == null ? 0 : from), Math.max(begin.greatest(), begun));
        drive();
    }

    /** @return whether it is about epochs */
    boolean received(Member from, Message message) {
        String by = from.name();
        if (message instanceof Message.Frozen part) {
            if (isUnderWay(part.epoch())) {
                parts.put(by, part);
                facts = facts.frozen(by, part.epoch());
            }
        } else if (message instanceof Message.NotFrozen not) {
            facts = facts == null ? null : facts.refused(by, not.epoch(), not.reason());
        } else if (message instanceof Message.Behind late) {
            facts = facts == null ? null : facts.behind(by, late.epoch(), late.who());
        } else if (message instanceof Message.Committed done) {
            facts = facts == null ? null : facts.committed(by, done.epoch());
            rowsLeft |= done.rowsLeft();
        } else if (message instanceof Message.Drained) {
            given.drained();
        } else {
            return false;
        }
        drive();
        return true;
    }

    private boolean isUnderWay(long epoch) {
        return facts != null && facts.freezing() != null && facts.freezing().epoch() == epoch;
    }

    /** @param cut whether it dropped what was in flight */
    void settled(Member by, boolean cut) {
        if (facts != null) {
            facts = facts.settled(by.name(), cut);
            drive();
        }
    }

    /** Nothing of the job is left in that member. */
    void finished(Member member) {
        members.remove(member.name());
        if (facts != null) {
            facts = facts.without(member.name());
            drive();
        }
    }

    /** @throws Refusal if the job keeps no state, or does not run */
    void savepoint(SavepointCopy wanted) throws Refusal {
        wanted.refuse(attempt, kept.areKept(), facts != null, closed);
        savepoint.is(wanted);
        facts = facts.wanting();
        drive();
    }

    /** Complete epochs that are kept and not committed, for messages; empty for none. */
    String uncommitted() {
        return closed || facts == null || !kept.areKept() ? "" : facts.uncommitted();
    }

    /**
     * The job is to end at once. If it keeps a state, it ends with its last complete epoch: one that is under way would have
     * parts from before and from after the cut.
     *
     * @return whether it does
     */
    boolean abandons() {
        if (kept.areKept()) {
            close();
            owner.ends(Ending.ABANDONED);
        }
        return kept.areKept();
    }

    /** The attempt ends: no epoch is begun, completed or committed any more. */
    void close() {
        closed = true;
        given.close();
        savepoint.giveUp("the job, or this attempt of it, has ended before");
        permits.clear();
        if (alarm != null) {
            alarm.cancel(false);
        }
    }

    /** Completes it when no epoch is being frozen. None begins from then on, until this is called with null. */
    void still(CompletableFuture<Void> when) {
        still = when;
        drive();
    }

    private void drive() {
        while (!closed && facts != null) {
            if (still != null && facts.freezing() == null && still.complete(null)) {
                continue;       // what waited for it may have gone on
            }
            EpochStep step = EpochDecisions.next(facts, still == null ? given.standing() : Intake.STILL, millis());
            if (step instanceof EpochStep.Wait until) {
                wakeAt(until.untilMillis());
                return;
            }
            take(step);
        }
    }

    private void wakeAt(long millis) {
        if (alarm != null) {
            alarm.cancel(false);
        }
        alarm = millis == Long.MAX_VALUE ? null : environment.timer().schedule(() -> owner.locked(this::drive),
                Math.max(0, millis - millis()), TimeUnit.MILLISECONDS);
    }

    private void take(EpochStep step) {
        if (step instanceof EpochStep.Begin begin) {
            begin(begin);
        } else if (step instanceof EpochStep.Give) {
            given.give();
        } else if (step instanceof EpochStep.Write write) {
            write(write.epoch());
        } else if (step instanceof EpochStep.Drop drop) {
            drop(drop.epoch(), drop.why());
        } else if (step instanceof EpochStep.Complete complete) {
            complete(permits.get(complete.epoch()));
        } else if (step instanceof EpochStep.Mark mark) {
            mark(permits.get(mark.epoch()));
        } else if (step instanceof EpochStep.Warn warn) {
            history.warn(warn.words());
            facts = facts.told(warn.what());
        } else {
            end(step);
        }
    }

    private void begin(EpochStep.Begin begin) {
        facts = facts.begun(begin.epoch(), begin.isLast(), millis());
        given.begun(begin.epoch());
        parts.clear();
        if (begin.isLast()) {
            owner.ends(Ending.BEGINS);
        }
        tell(new Message.Barrier(attempt, begin.epoch(), facts.announced()));
    }

    private void write(long epoch) {
        List<Message.Frozen> all = List.copyOf(parts.values());
        boolean allEnded = kept.areKept() && facts.ending().epoch() == 0
                && all.stream().flatMap(part -> part.instances().stream()).allMatch(FrozenInstance::ended);
        facts = facts.writing(allEnded);
        if (allEnded) {
            owner.ends(Ending.BEGINS);
        }
        KeptEpochs.Changed changed = new KeptEpochs.Changed(schedules.now(), given.at(epoch), owner.exchange().buckets().kept());
        SavepointCopy copy = savepoint.of(epoch, facts);
        aside(() -> {
            CommitPermit permit = kept.complete(epoch, all, changed, environment.wall());
            if (copy != null) {
                copy.logs(kept, permit.manifest());
            }
            return permit;
        }, permit -> {
            facts = copy == null ? facts : facts.wantingNone();
            given.complete(epoch);
            history.complete(permit, millis() - facts.freezing().sinceMillis());
            permits.put(epoch, permit);
            facts = facts.complete(millis());
        }, failure -> {
            if (failure instanceof FencedException) {
                owner.fail(new Refusal(StateClaims.FENCED, failure.getMessage(), null));
            } else {
                drop(epoch, "its manifest cannot be written: " + Reason.of(failure));
            }
        });
    }

    private void drop(long epoch, String why) {
        facts = savepoint.dropped(facts.dropped(why), why);
        parts.clear();
        tell(new Message.Drop(attempt, epoch));
    }

    /** Only what is kept is told to be complete. */
    private void complete(CommitPermit permit) {
        facts = facts.toldComplete(permit.epoch());
        tell(new Message.Complete(attempt, permit.epoch(), permit.epoch() == facts.ending().epoch()));
    }

    /** If the mark cannot be written, the next attempt commits the epoch again, which changes nothing. */
    private void mark(CommitPermit permit) {
        facts = facts.marking(permit.epoch());
        savepoint.write(permit.epoch());
        Consumer<Object> next = whatever -> {
            permits.remove(permit.epoch());
            facts = facts.marked(permit.epoch());
        };
        if (KeptEpochs.isLast(permit.manifest())) {
            // the last epoch of a run that did not come to its end: the mark would say that it did
            next.accept(permit);
            return;
        }
        aside(() -> {
            kept.committed(permit);
            return permit;
        }, next::accept, next::accept);
        if (permit.epoch() % COLLECT_EVERY == 0 && !collects) {
            collects = true;
            Consumer<Object> collected = whatever -> collects = false;      // what is left is looked at again later
            aside(() -> {
                kept.collect(environment.wall());
                return permit;
            }, collected::accept, collected::accept);
        }
    }

    private void end(EpochStep step) {
        EpochProgress last = facts;
        CommitPermit permit = step instanceof EpochStep.Conclude ? permits.get(last.ending().epoch()) : null;
        concluded = permit == null ? null : new LastEpoch(permit, savepoint.take(permit.epoch()), rowsLeft);
        close();
        if (step instanceof EpochStep.Conclude) {
            owner.ends(Ending.COMMITTED);
        } else if (step instanceof EpochStep.Abandon) {
            owner.ends(Ending.ABANDONED);
        } else {
            owner.fail(new Refusal("epoch", "the last epoch of the job could not be taken: " + last.trouble().why(), null));
        }
    }

    /**
     * All tasks have ended. If that is the end of the job, the last epoch is marked as committed: until then, the job ends once
     * more if it is run again.
     *
     * @param well whether nothing went wrong
     * @param then runs under the lock, when nobody works in the folder any more
     */
    void ended(boolean well, Runnable then) {
        if (well && kept.areKept() && concluded != null) {
            concluded.mark(kept, aside);
        }
        concluded = null;
        aside.whenOver(then);
    }

    private void tell(Message message) {
        members.values().forEach(member -> member.send(message));
    }

    /** Works on another thread, and goes on under the lock, unless the attempt has ended meanwhile. */
    private <T> void aside(Callable<T> work, Consumer<T> then, Consumer<Throwable> failed) {
        aside.start(work, done -> goOn(() -> then.accept(done)), failure -> goOn(() -> failed.accept(failure)));
    }

    private void goOn(Runnable next) {
        if (!closed) {
            next.run();
            drive();
        }
    }

    /** What is to be told of its epochs; null for a job that keeps no state. */
    EpochStatus status() {
        return kept.areKept() && facts != null ? history.status(facts, millis()) : null;
    }
}
