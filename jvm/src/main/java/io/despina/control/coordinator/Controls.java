package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.catalogue.SparkSourceSpec;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.members.Member;
import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.Schedules;
import io.despina.descriptor.Nearest;
import io.despina.link.Attempt;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlannedPort;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What users tell the running operators of one attempt of a job: which operators know a command, and what their instances have
 * answered. Thread-safe; nothing here waits for the job, but for {@link #await}.
 */
final class Controls {
    private static final int MOST_MARKS = 8;
    private static final Set<ControlCommand> OF_ONE = EnumSet.of(ControlCommand.MOVE, ControlCommand.SET_SCHEDULE,
            ControlCommand.TAIL);

    private final Attempt attempt;
    private final JobPlan planned;
    private final Environment environment;
    /** Written once, before a message can come. */
    private Instructions instructions;
    private Moves.Mover mover;
    private BucketMoves buckets;

    // guarded by this
    private final Map<Long, Asked> asked = new HashMap<>();
    private long last;
    private boolean ended;
    private boolean reloads;
    /** The marks that have not passed everywhere, also those whose user has stopped waiting; to who has not answered. */
    private final Map<Long, Set<Member>> marks = new HashMap<>();

    /** Tells operators of the attempt, with its lock. */
    interface Instructions {
        CompletableFuture<List<ControlAnswer>> tell(Wanted wanted) throws Refusal;
    }

    /** @param operator empty for all that know the command */
    record Wanted(String command, String operator, String argument) {
    }

    /** Who is told, as they were when the user asked, and until when answers are waited for, by the clock of the job. */
    private record To(Collection<Member> members, long millis, long untilNanos) {
    }

    private record Asked(Set<Member> awaited, List<ControlAnswer> answers, CompletableFuture<List<ControlAnswer>> all,
            List<String> operators, long millis) {

        /** In the order of the plan. */
        List<ControlAnswer> inOrder() {
            return answers.stream().sorted(Comparator.<ControlAnswer>comparingInt(each -> operators.indexOf(each.operator()))
                    .thenComparingInt(ControlAnswer::instance)).toList();
        }
    }

    Controls(Attempt attempt, JobPlan planned, Environment environment) {
        this.attempt = attempt;
        this.planned = planned;
        this.environment = environment;
    }

    /** Operators are moved, by that. */
    void moves(Moves.Mover by) {
        mover = by;
    }

    /** Buckets of keys are moved, by that. */
    void moves(BucketMoves by) {
        buckets = by;
    }

    /** Another coordinator has told operators something before. @param number of its last message */
    synchronized void goOnFrom(long number) {
        last = number;
    }

    /** Operators of the job may tell others, by that. */
    void by(Instructions attempts) {
        instructions = attempts;
    }

    /**
     * Tells them.
     *
     * @param schedules of the job; with its lock
     * @param members   that run it
     * @return completes when all instances have answered, or with a {@link Refusal}
     * @throws Refusal before anything is done: an operator that does not know the command, and the like
     */
    CompletableFuture<List<ControlAnswer>> tell(Wanted wanted, ChangedSchedules schedules, Collection<Member> members)
            throws Refusal {
        ControlCommand command = ControlCommand.of(wanted.command);
        if (command == null) {
            throw new Refusal("command", "there is no command `" + wanted.command + "`",
                    Nearest.hint(wanted.command, ControlCommand.words()));
        }
        List<PlannedOperator> who = who(command, wanted.operator);
        if (command.isOfSchedule()) {
            return CompletableFuture.completedFuture(schedule(command, wanted.argument, who, schedules, members));
        }
        if (command == ControlCommand.MOVE) {
            String id = who.get(0).id();
            List<Member> all = List.copyOf(members);
            return BucketMoves.isMeant(wanted.argument)
                    ? buckets.move(who.get(0), wanted.argument,
                            (each, millis) -> ask(command, List.of(id), each, to(all, millis)), environment.timer())
                    : CompletableFuture.completedFuture(mover.move(id, wanted.argument));
        }
        List<String> ids = who.stream().map(PlannedOperator::id).toList();
        To to = to(List.copyOf(members), ControlMessage.ANSWER_MILLIS);
        if (command == ControlCommand.RELOAD) {
            long longest = who.stream().mapToLong(each -> each.spec().reloadMillis()).max().orElse(0);
            return reload(ids, to(to.members, Math.min(ControlMessage.MOST_MILLIS, ControlMessage.ANSWER_MILLIS + longest)));
        }
        if (command == ControlCommand.SYNC) {
            return sync(ids, to);
        }
        if (command == ControlCommand.TAIL) {
            return ask(command, ids, Integer.toString(port(who.get(0), wanted.argument)), to);
        }
        if (command != ControlCommand.FIRE) {
            CompletableFuture<List<ControlAnswer>> all = ask(command, ids, wanted.argument, to);
            return command == ControlCommand.STATUS ? all.thenApply(buckets::shown) : all;
        }
        // what operators that are divided have added up before their links comes into the windows first
        return ask(ControlCommand.FLUSH, ids, "", to).thenCompose(flushed -> ask(command, ids, wanted.argument, to));
    }

    /** An operator of the job tells others. */
    void received(Member from, ControlMessage.Instruct told) {
        CompletableFuture<List<ControlAnswer>> all;
        try {
            all = instructions.tell(new Wanted(told.command(), told.operator(), told.argument()));
        } catch (Refusal | RuntimeException no) {
            // a fault too is answered: else it would end the connection, and with it the resource of who asks
            all = CompletableFuture.failedFuture(no);
        }
        all.whenComplete((answers, why) -> from.send(new ControlMessage.Instructed(attempt, told.number(),
                why == null ? answers : List.of(), why == null ? null : words(why))));
    }

    private static String words(Throwable why) {
        Refusal no = Refusal.of(why instanceof CompletionException ? why.getCause() : why);
        return no.hint() == null ? no.getMessage() : no.getMessage() + "; " + no.hint();
    }

    /** The operators that a command is for, in the plan's order. */
    private List<PlannedOperator> who(ControlCommand command, String operator) throws Refusal {
        String graph = planned.plan().name();
        List<PlannedOperator> all = planned.plan().operators();
        if (operator.isEmpty()) {
            List<PlannedOperator> some = all.stream().filter(each -> known(each).contains(command)).toList();
            if (some.isEmpty() || OF_ONE.contains(command)) {
                throw some.isEmpty() ? new Refusal("command", "no operator of " + graph + " knows `" + command.word() + "`", null)
                        : new Refusal("operator", "`" + command.word() + "` is for one operator", "name it");
            }
            return some;
        }
        List<PlannedOperator> named = all.stream().filter(each -> each.id().equals(operator)).toList();
        if (named.isEmpty()) {
            throw new Refusal("operator", "no operator `" + operator + "` in " + graph,
                    Nearest.guess(operator, all.stream().map(PlannedOperator::id).toList()));
        }
        Set<ControlCommand> known = known(named.get(0));
        if (!known.contains(command)) {
            String instead = named.get(0).spec().instead(command);
            throw new Refusal("command", "operator `" + operator + "`, a " + named.get(0).type().word() + ", does not know `"
                    + command.word() + "`", instead != null ? instead : "it knows " + known.stream().map(ControlCommand::word)
                    .collect(Collectors.joining(", ")));
        }
        return named;
    }

    /** Of an input port by its name; the first for an empty one. */
    private static int port(PlannedOperator operator, String name) throws Refusal {
        List<String> names = operator.inputs().stream().map(PlannedPort::name).toList();
        int port = name.isEmpty() ? 0 : names.indexOf(name);
        if (port < 0) {
            throw new Refusal("port", "operator `" + operator.id() + "` has no input port `" + name + "`",
                    "it has " + String.join(", ", names));
        }
        return port;
    }

    private static Set<ControlCommand> known(PlannedOperator operator) {
        Set<ControlCommand> known = EnumSet.of(ControlCommand.MOVE, ControlCommand.SET_SCHEDULE, ControlCommand.STATUS,
                ControlCommand.SYNC);
        known.addAll(operator.spec().commands());
        if (!operator.inputs().isEmpty()) {
            known.add(ControlCommand.TAIL);
        }
        // what Spark has committed to it is read before an epoch begins: its query can be stopped instead
        if (operator.type().isSource() && !(operator.spec() instanceof SparkSourceSpec)) {
            known.addAll(Set.of(ControlCommand.HOLD, ControlCommand.GO));
        }
        return known;
    }

    private List<ControlAnswer> schedule(ControlCommand command, String argument, List<PlannedOperator> who,
            ChangedSchedules schedules, Collection<Member> members) throws Refusal {
        ObjectNode schedule = null;
        if (command == ControlCommand.SET_SCHEDULE) {
            JobOutline.of(planned).checkHasSchedule(who.get(0).id());
            schedule = GivenJson.parseObject(argument, "schedule");
            Schedules.parse(schedule);
        }
        List<ControlAnswer> answers = new ArrayList<>();
        for (PlannedOperator operator : who) {
            switch (command) {
                case HOLD -> schedules.hold(operator.id());
                case GO -> schedules.go(operator.id());
                default -> schedules.set(operator.id(), schedule);
            }
            schedules.send(attempt, operator.id(), members);
            IntStream.range(0, operator.parallelism()).forEach(k -> answers.add(new ControlAnswer(operator.id(), k, true, "")));
        }
        return answers;
    }

    private synchronized CompletableFuture<List<ControlAnswer>> ask(ControlCommand command, List<String> operators,
            String argument, To to) {
        CompletableFuture<List<ControlAnswer>> all = new CompletableFuture<>();
        if (ended) {
            all.completeExceptionally(gone());
            return all;
        }
        long number = ++last;
        asked.put(number, new Asked(new LinkedHashSet<>(to.members), new ArrayList<>(), all, operators, to.millis));
        ControlMessage.Tell tell = new ControlMessage.Tell(attempt, number, command.word(), operators, argument);
        to.members.forEach(member -> member.send(tell));
        if (to.millis != BucketMoves.UNTIL_THE_END) {
            environment.timer().schedule(() -> late(number),
                    Math.max(0, to.untilNanos - environment.clock().getAsLong()), TimeUnit.NANOSECONDS);
        }
        return all;
    }

    /** Members get it in the same order as the barriers of epochs, under the lock of the job. */
    private synchronized CompletableFuture<List<ControlAnswer>> sync(List<String> operators, To to) throws Refusal {
        if (marks.size() >= MOST_MARKS) {
            throw new Refusal("state", MOST_MARKS + " marks of `sync` have not passed yet", "wait for their answers");
        }
        if (!ended) {
            marks.put(last + 1, new HashSet<>(to.members));
        }
        return ask(ControlCommand.SYNC, operators, "", to);
    }

    private To to(Collection<Member> members, long millis) {
        return new To(members, millis, environment.clock().getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** In two steps: no instance of an operator takes over what another one could not open. */
    private CompletableFuture<List<ControlAnswer>> reload(List<String> operators, To to) throws Refusal {
        synchronized (this) {
            if (reloads) {
                throw new Refusal("state", "another `reload` is under way", "wait for its answer");
            }
            reloads = true;
        }
        return ask(ControlCommand.RELOAD, operators, ControlCommand.OPEN, to).handle((opened, late) -> {
            if (late == null) {
                return taken(operators, opened, to);
            }
            ask(ControlCommand.RELOAD, operators, ControlCommand.DROP, to(to.members, to.millis));
            return CompletableFuture.<List<ControlAnswer>>failedFuture(late);
        }).thenCompose(each -> each).whenComplete((answers, failure) -> {
            synchronized (this) {
                reloads = false;
            }
        });
    }

    private CompletableFuture<List<ControlAnswer>> taken(List<String> operators, List<ControlAnswer> opened, To to) {
        Set<String> failed = opened.stream().filter(each -> !each.ok()).map(ControlAnswer::operator).collect(Collectors.toSet());
        List<ControlAnswer> answers = new ArrayList<>();
        opened.stream().filter(each -> failed.contains(each.operator())).forEach(each -> answers.add(
                !each.ok() ? each : new ControlAnswer(each.operator(), each.instance(), false,
                        "it is as it was, since another instance failed")));
        if (!failed.isEmpty()) {
            ask(ControlCommand.RELOAD, operators.stream().filter(failed::contains).toList(), ControlCommand.DROP,
                    to(to.members, to.millis));
        }
        List<String> left = operators.stream().filter(each -> !failed.contains(each)).toList();
        return left.isEmpty() ? CompletableFuture.completedFuture(answers)
                : ask(ControlCommand.RELOAD, left, ControlCommand.TAKE, to(to.members, to.millis)).thenApply(taken -> {
                    answers.addAll(taken);
                    return answers;
                });
    }

    void received(Member from, ControlMessage.Told told) {
        Asked one;
        synchronized (this) {
            Set<Member> before = marks.getOrDefault(told.number(), new HashSet<>());
            if (before.remove(from) && before.isEmpty()) {
                marks.remove(told.number());
            }
            one = asked.get(told.number());
            if (one == null || !one.awaited.remove(from)) {
                return;
            }
            one.answers.addAll(told.answers());
            if (!one.awaited.isEmpty()) {
                return;
            }
            asked.remove(told.number());
        }
        one.all.complete(one.inOrder());
    }

    private void late(long number) {
        Asked one;
        synchronized (this) {
            one = asked.remove(number);
        }
        if (one != null) {
            one.all.completeExceptionally(tooLate(one.millis));
        }
    }

    static Refusal tooLate(long millis) {
        return new Refusal("control", "not all have answered within " + millis / 1000
                + " seconds; what was told is done as soon as an operator comes to it", null);
    }

    /** The attempt has ended: nobody answers any more. */
    void end() {
        List<Asked> left;
        synchronized (this) {
            ended = true;
            left = List.copyOf(asked.values());
            asked.clear();
        }
        left.forEach(one -> one.all.completeExceptionally(gone()));
    }

    private Refusal gone() {
        return new Refusal("state", attempt + " has ended before all had answered", null);
    }

    /** {@code {"answers": [{"operator", "instance", "ok", "answer"}]}}, when all have answered. */
    static ObjectNode await(CompletableFuture<List<ControlAnswer>> all) throws Refusal {
        try {
            return new ControlMessage.Controlled(all.get()).json();
        } catch (ExecutionException e) {
            throw Refusal.of(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refusal("control", "interrupted before all had answered", null);
        }
    }
}
