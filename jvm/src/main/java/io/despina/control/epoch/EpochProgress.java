package io.despina.control.epoch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * What the coordinator knows of the epochs of one attempt. Each event gives the next value; {@link EpochDecisions} says what to
 * do about it. Times are milliseconds of one clock that never goes back. Immutable.
 *
 * @param everyMillis from the beginning of an epoch to that of the next; 0 for a job that keeps no state: its only epoch is the
 *                    last
 * @param members     resources that take part, by name
 * @param start       of the attempt
 * @param freezing    the epoch that is not complete yet; or null
 * @param commits     epochs that are complete and not marked as committed, the oldest first
 * @param last        how far it has come
 * @param trouble     what stands in the way
 * @param ending      how far the end of the job has come
 */
public record EpochProgress(long everyMillis, Set<String> members, Start start, Freezing freezing, List<Commit> commits,
        Last last, Trouble trouble, Ending ending) {

    public EpochProgress {
        members = new TreeSet<>(members);
        commits = List.copyOf(commits);
    }

    /**
     * @param atMillis when its tasks began to run
     * @param from     the epoch from which it goes on; 0 if it began anew
     * @param replay   that epoch if it may not be committed everywhere; else 0
     */
    public record Start(long atMillis, long from, long replay) {
    }

    /**
     * An epoch whose barrier is under way.
     *
     * @param frozen  members that have written their part
     * @param refused members that could not, with their reasons
     * @param writing whether its manifest is being written
     */
    public record Freezing(long epoch, long sinceMillis, Set<String> frozen, Map<String, String> refused, boolean writing) {

        private Freezing with(Set<String> all, Map<String, String> not, boolean written) {
            return new Freezing(epoch, sinceMillis, all, not, written);
        }
    }

    /**
     * An epoch that is complete.
     *
     * @param told      whether members were told so
     * @param committed members that have committed it
     * @param marking   whether its mark is being written
     * @param behind    by member that has not, for whom it waits, if it has said so
     */
    public record Commit(long epoch, boolean told, Set<String> committed, boolean marking, Map<String, String> behind) {

        private static Commit of(long epoch) {
            return new Commit(epoch, false, Set.of(), false, Map.of());
        }

        private Commit with(boolean isTold, Set<String> all, boolean isMarking) {
            return new Commit(epoch, isTold, all, isMarking, behind);
        }
    }

    /**
     * Numbers of epochs; 0 for none.
     *
     * @param begun          the greatest number ever used, also by earlier attempts
     * @param begunMillis    when the last one of this attempt was begun
     * @param complete       the last complete one; of an earlier attempt before the first of this one
     * @param completeMillis when this attempt last completed one, or began
     * @param committed      the last committed one of this attempt
     * @param savepoint      that is wanted; or null
     */
    public record Last(long begun, long begunMillis, long complete, long completeMillis, long committed,
            Savepoint savepoint) {

        private Last withBegun(long epoch, long now) {
            return new Last(epoch, now, complete, completeMillis, committed, savepoint);
        }

        private Last withComplete(long epoch, long now) {
            return new Last(begun, begunMillis, epoch, now, committed, savepoint);
        }

        private Last withCommitted(long epoch) {
            return new Last(begun, begunMillis, complete, completeMillis, epoch, savepoint);
        }
    }

    /**
     * @param inRow   dropped epochs since the last complete one
     * @param dropped all that this attempt has dropped
     * @param slow    those of them that members did not write in time
     * @param why     the last one was dropped; empty for none
     * @param late    that one, if members did not write it in time
     * @param told    what was said of it since the last complete one
     */
    public record Trouble(int inRow, int dropped, int slow, String why, Late late, Set<Told> told) {
        private static final Trouble NONE = new Trouble(0, 0, 0, "", Late.NONE, Set.of());

        private Trouble with(Set<Told> all) {
            return new Trouble(inRow, dropped, slow, why, late, all);
        }

        private Trouble waits(String words) {
            return new Trouble(inRow, dropped, slow, why + words, new Late(late.epoch, true), told);
        }

        /** Whether a member is about to say for whom it has waited. */
        boolean isUnexplained() {
            return late.epoch > 0 && !late.explained;
        }
    }

    /**
     * A dropped epoch that members did not write in time.
     *
     * @param epoch     0 for none
     * @param explained whether one of them has said for whom it has waited
     */
    public record Late(long epoch, boolean explained) {
        private static final Late NONE = new Late(0, false);
    }

    /** What is said once. */
    public enum Told { DROPPED, STALE, NONE_SINCE_RESTORE, FRESH }

    /**
     * @param settled members whose tasks have all passed the end of their input
     * @param cut     whether one had to drop what was in flight
     * @param epoch   the last epoch of the job; 0 before it is begun
     * @param dropped how often the last epoch was dropped
     */
    public record Ending(Set<String> settled, boolean cut, long epoch, int dropped) {
        private static final Ending NOT_YET = new Ending(Set.of(), false, 0, 0);
    }

    /**
     * A savepoint is wanted. Members are told with one epoch that the next is to be it.
     *
     * @param epoch   its number; 0 before members were told
     * @param dropped how often one of the two was dropped
     */
    public record Savepoint(long epoch, int dropped) {
    }

    /**
     * Before the first epoch of an attempt.
     *
     * @param greatest the greatest number of an epoch ever used
     */
    public static EpochProgress of(long everyMillis, Set<String> members, Start start, long greatest) {
        List<Commit> commits = start.replay == 0 ? List.of() : List.of(Commit.of(start.replay));
        return new EpochProgress(everyMillis, members, start, null, commits,
                new Last(Math.max(greatest, start.from), start.atMillis, start.from, start.atMillis, 0, null), Trouble.NONE,
                Ending.NOT_YET);
    }

    private EpochProgress with(Freezing next) {
        return new EpochProgress(everyMillis, members, start, next, commits, last, trouble, ending);
    }

    private EpochProgress with(List<Commit> next) {
        return new EpochProgress(everyMillis, members, start, freezing, next, last, trouble, ending);
    }

    private EpochProgress with(Last next) {
        return new EpochProgress(everyMillis, members, start, freezing, commits, next, trouble, ending);
    }

    private EpochProgress with(Trouble next) {
        return new EpochProgress(everyMillis, members, start, freezing, commits, last, next, ending);
    }

    private EpochProgress with(Ending next) {
        return new EpochProgress(everyMillis, members, start, freezing, commits, last, trouble, next);
    }

    private EpochProgress with(Savepoint next) {
        return with(new Last(last.begun, last.begunMillis, last.complete, last.completeMillis, last.committed, next));
    }

    /** The savepoint that is wanted; null for none. */
    public Savepoint savepoint() {
        return last.savepoint;
    }

    private boolean isUnderWay(long epoch) {
        return freezing != null && freezing.epoch == epoch;
    }

    /** Barriers were sent. @param isLast whether it is the last of the job */
    public EpochProgress begun(long epoch, boolean isLast, long now) {
        EpochProgress next = with(new Freezing(epoch, now, Set.of(), Map.of(), false)).with(last.withBegun(epoch, now));
        if (isLast) {
            return next.with(new Ending(ending.settled, ending.cut, epoch, ending.dropped));
        }
        return savepoint() == null || announced() > 0 ? next : next.with(new Savepoint(epoch + 1, savepoint().dropped));
    }

    /** A savepoint is wanted. */
    public EpochProgress wanting() {
        return with(new Savepoint(0, 0));
    }

    /** None is wanted any more: its epoch is complete, or it is given up. */
    public EpochProgress wantingNone() {
        return with((Savepoint) null);
    }

    /** The number of the epoch that members are to take for a savepoint; 0 for none. */
    public long announced() {
        return savepoint() == null ? 0 : savepoint().epoch;
    }

    /** A member has written its part. What is said of another epoch than the one under way comes too late. */
    public EpochProgress frozen(String member, long epoch) {
        return isUnderWay(epoch) ? with(freezing.with(plus(freezing.frozen, member), freezing.refused, freezing.writing)) : this;
    }

    /** A member could not write its part. */
    public EpochProgress refused(String member, long epoch, String why) {
        if (!isUnderWay(epoch)) {
            return this;
        }
        Map<String, String> refused = new TreeMap<>(freezing.refused);
        refused.putIfAbsent(member, why);
        return with(freezing.with(freezing.frozen, refused, freezing.writing));
    }

    /** A member has said for whom it waits, in an epoch that it did not write in time, or has not committed. */
    public EpochProgress behind(String member, long epoch, String who) {
        if (epoch == trouble.late.epoch) {
            return with(trouble.waits(waits(member, who)));
        }
        return changed(epoch, commit -> {
            Map<String, String> all = new TreeMap<>(commit.behind);
            all.put(member, who);
            return new Commit(epoch, commit.told, commit.committed, commit.marking, all);
        });
    }

    private static String waits(String member, String who) {
        return "; `" + member + "` waits for " + who;
    }

    /** For whom members wait that have not committed an epoch, behind other words. */
    String waits(Commit commit) {
        return without(commit.committed).stream().filter(commit.behind::containsKey)
                .map(member -> waits(member, commit.behind.get(member))).collect(Collectors.joining());
    }

    /**
     * The manifest of the epoch under way is being written.
     *
     * @param allEnded whether every task had passed the end of its input: then it is the last, whoever asked for it
     */
    public EpochProgress writing(boolean allEnded) {
        EpochProgress next = with(freezing.with(freezing.frozen, freezing.refused, true));
        return allEnded ? next.with(new Ending(ending.settled, ending.cut, freezing.epoch, ending.dropped)) : next;
    }

    /** The manifest of the epoch under way is kept. */
    public EpochProgress complete(long now) {
        List<Commit> next = new ArrayList<>(commits);
        next.add(Commit.of(freezing.epoch));
        return with((Freezing) null).with(next).with(last.withComplete(freezing.epoch, now))
                .with(new Trouble(0, trouble.dropped, trouble.slow, "", Late.NONE,
                        trouble.told.contains(Told.STALE) ? Set.of(Told.STALE) : Set.of()));
    }

    /** The epoch under way will never be complete. */
    public EpochProgress dropped(String why) {
        boolean isLast = freezing.epoch == ending.epoch;
        EpochProgress next = savepoint() == null ? this : with(new Savepoint(0, savepoint().dropped + 1));
        boolean late = freezing.refused.isEmpty() && !freezing.writing;
        return next.with((Freezing) null).with(new Trouble(trouble.inRow + 1, trouble.dropped + 1,
                trouble.slow + (late ? 1 : 0), why, late ? new Late(freezing.epoch, false) : Late.NONE, trouble.told))
                .with(isLast ? new Ending(ending.settled, ending.cut, 0, ending.dropped + 1) : ending);
    }

    /** Members were told that the epoch is complete. */
    public EpochProgress toldComplete(long epoch) {
        return changed(epoch, commit -> commit.with(true, commit.committed, commit.marking));
    }

    public EpochProgress committed(String member, long epoch) {
        return changed(epoch, commit -> commit.with(commit.told, plus(commit.committed, member), commit.marking));
    }

    /** The mark that the epoch is committed is being written. */
    public EpochProgress marking(long epoch) {
        return changed(epoch, commit -> commit.with(commit.told, commit.committed, true));
    }

    /** It is written. */
    public EpochProgress marked(long epoch) {
        return with(commits.stream().filter(commit -> commit.epoch != epoch).toList()).with(last.withCommitted(epoch));
    }

    private EpochProgress changed(long epoch, UnaryOperator<Commit> change) {
        return with(commits.stream().map(commit -> commit.epoch == epoch ? change.apply(commit) : commit).toList());
    }

    /** All tasks of a member have passed the end of their input. @param cut whether it dropped what was in flight */
    public EpochProgress settled(String member, boolean cut) {
        return with(new Ending(plus(ending.settled, member), ending.cut || cut, ending.epoch, ending.dropped));
    }

    /** Nothing of the job is left in a member: it takes part in nothing more. */
    public EpochProgress without(String member) {
        Set<String> left = new TreeSet<>(members);
        left.remove(member);
        return new EpochProgress(everyMillis, left, start, freezing, commits, last, trouble, ending);
    }

    /** The user was told; with {@link Told#FRESH}, that the state is stale no more. */
    public EpochProgress told(Told what) {
        Set<Told> all = new TreeSet<>(trouble.told);
        if (what == Told.FRESH) {
            all.remove(Told.STALE);
        } else {
            all.add(what);
        }
        return with(trouble.with(all));
    }

    /** Whether every task of the job has passed the end of its input. */
    public boolean isSettled() {
        return ending.settled.containsAll(members);
    }

    /** The epochs that are complete and not committed, for messages; empty for none. */
    public String uncommitted() {
        if (commits.isEmpty()) {
            return "";
        }
        long from = commits.get(0).epoch;
        long to = commits.get(commits.size() - 1).epoch;
        return from == to ? "epoch " + from : "epochs " + from + " to " + to;
    }

    /** By member, what it has not done yet; for messages. */
    List<String> without(Set<String> done) {
        return members.stream().filter(member -> !done.contains(member)).toList();
    }

    private static Set<String> plus(Set<String> all, String one) {
        Set<String> more = new TreeSet<>(all);
        more.add(one);
        return more;
    }
}
