package io.despina.control.coordinator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobPlan;
import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.plan.PlannedOperator;
import io.despina.spec.Blocking;
import io.despina.spec.BucketMap;
import io.despina.spec.ControlAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Moves buckets of keys between the instances of an operator while they run, one move at a time: all resources prepare the next
 * map; then, while no epoch is being frozen, a mark passes through the graph, behind which senders go by it; and when all
 * instances have done their part, epochs go on. Guarded by the lock of the attempt.
 */
final class BucketMoves {
    static final String RULE = "move";
    /** Answers are waited for until the attempt ends: an epoch that does not know of a move would deal its keys wrongly. */
    static final long UNTIL_THE_END = Long.MAX_VALUE;

    private final JobPlan planned;
    private final Executor lock;
    private final Consumer<CompletableFuture<Void>> still;
    private final BucketPlaces places;
    private long last;
    /** Null if no bucket is on its way. */
    private Moving underWay;

    /** How the instances of an operator are told; their answers come with the lock, or when nobody answers any more. */
    interface Asks {

        /** @param millis for which answers are waited for, or {@link #UNTIL_THE_END} */
        CompletableFuture<List<ControlAnswer>> ask(String argument, long millis);
    }

    /** @param to by bucket, the instance that gets it */
    private record Moving(long number, String operator, BucketMap before, BucketMap after, Map<Integer, Integer> to) {

        /** Who gives or gets some. */
        TreeSet<Integer> concerned() {
            TreeSet<Integer> all = new TreeSet<>(to.values());
            to.keySet().forEach(bucket -> all.add(before.owner(bucket)));
            return all;
        }

        String prepare() {
            return "prepare " + number + " " + concerned().stream().map(String::valueOf).collect(Collectors.joining(",")) + " "
                    + after.text();
        }

        List<ControlAnswer> answers() {
            List<ControlAnswer> all = new ArrayList<>();
            for (int k = 0; k < after.instances(); k++) {
                all.add(new ControlAnswer(operator, k, true, after.bucketsOf(k).isEmpty() ? "it has no buckets"
                        : "it has buckets " + after.bucketsOf(k)));
            }
            return all;
        }
    }

    /**
     * @param before by operator, as the manifest has it from which the attempt goes on
     * @param lock   runs something at once, under the attempt's lock
     * @param still  as {@code EpochDriver} has it
     */
    BucketMoves(JobPlan planned, Map<String, String> before, Executor lock, Consumer<CompletableFuture<Void>> still) {
        this.planned = planned;
        this.lock = lock;
        this.still = still;
        places = BucketPlaces.of(planned.plan().buckets(), before);
    }

    /** Another coordinator has moved some before. @param number of its last move */
    void goOnFrom(long number) {
        last = number;
    }

    /** Null for an operator without buckets. */
    BucketMap map(String operator) {
        return places.of(operator);
    }

    /** Where buckets are that are not as at the start, by operator; for a manifest. */
    Map<String, String> kept() {
        return places.kept();
    }

    /** The resource for which a message is that an instance of an operator sends to another one. */
    String to(Message message) {
        if (message instanceof ControlMessage.HandOver asked) {
            return planned.hostsOf(asked.operator()).get(asked.from());
        }
        ControlMessage.HandedOver slice = (ControlMessage.HandedOver) message;
        return planned.hostsOf(slice.operator()).get(slice.to());
    }

    /** What instances have answered to {@link io.despina.spec.ControlCommand#STATUS}, and with it which buckets they have. */
    List<ControlAnswer> shown(List<ControlAnswer> answers) {
        return answers.stream().map(this::shown).toList();
    }

    private ControlAnswer shown(ControlAnswer answer) {
        BucketMap map = places.of(answer.operator());
        try {
            return map == null || !answer.ok() ? answer : new ControlAnswer(answer.operator(), answer.instance(), true,
                    Json.text(((ObjectNode) Json.tree(answer.answer())).put("buckets", map.bucketsOf(answer.instance()))));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether that is what buckets move to, and no resource. */
    static boolean isMeant(String argument) {
        return argument.strip().startsWith("{");
    }

    /**
     * Moves some.
     *
     * @param argument {@code {"7": 2}}: by bucket, the instance that gets it
     * @return completes with where the buckets are then
     * @throws Refusal before anything is done
     */
    CompletableFuture<List<ControlAnswer>> move(PlannedOperator operator, String argument, Asks asks,
            ScheduledExecutorService timer) throws Refusal {
        BucketMap before = places.of(operator.id());
        refuseUnfit(operator, before);
        if (underWay != null) {
            throw refused("buckets of `" + underWay.operator + "` are on their way: " + underWay.to.keySet().stream()
                    .map(String::valueOf).collect(Collectors.joining(", ")), "wait for the answer to that");
        }
        Map<Integer, Integer> to = wanted(operator, before, argument);
        Moving moving = new Moving(++last, operator.id(), before, before.moved(to), to);
        if (to.isEmpty()) {
            return CompletableFuture.completedFuture(moving.answers());
        }
        underWay = moving;
        CompletableFuture<List<ControlAnswer>> moved = asks.ask(moving.prepare(), ControlMessage.MOST_MILLIS)
                .thenCompose(prepared -> pass(moving, prepared, asks))
                .whenComplete((done, why) -> lock.execute(() -> ended(moving, why == null)));
        // what is under way goes on when its user has stopped waiting
        CompletableFuture<List<ControlAnswer>> answered = moved.copy();
        Runnable late = () -> answered.completeExceptionally(Controls.tooLate(ControlMessage.ANSWER_MILLIS));
        timer.schedule(late, ControlMessage.ANSWER_MILLIS, TimeUnit.MILLISECONDS);
        return answered;
    }

    private CompletableFuture<List<ControlAnswer>> pass(Moving moving, List<ControlAnswer> prepared, Asks asks) {
        String no = prepared.stream().filter(each -> !each.ok()).map(ControlAnswer::answer).distinct()
                .collect(Collectors.joining("; "));
        String full = !no.isEmpty() ? no : MoveRoom.lacking(moving.before, moving.after, prepared,
                planned.hostsOf(moving.operator));
        if (!full.isEmpty()) {
            throw new CompletionException(refused("no bucket of `" + moving.operator + "` has moved: " + full, null));
        }
        CompletableFuture<Void> when = new CompletableFuture<>();
        still.accept(when);
        return when.thenCompose(is -> asks.ask("pass " + moving.number, UNTIL_THE_END)).thenApply(all -> passed(moving, all));
    }

    /** An instance has something to say if it ended before the mark came. */
    private static List<ControlAnswer> passed(Moving moving, List<ControlAnswer> all) {
        String ended = all.stream().map(ControlAnswer::answer).filter(words -> !words.isEmpty()).distinct()
                .collect(Collectors.joining("; "));
        if (!ended.isEmpty()) {
            throw new CompletionException(refused("buckets of `" + moving.operator + "` have not moved: " + ended, null));
        }
        return moving.answers();
    }

    private void ended(Moving moving, boolean well) {
        underWay = null;
        if (well) {
            places.put(moving.operator, moving.after);
        }
        still.accept(null);
    }

    private void refuseUnfit(PlannedOperator operator, BucketMap map) throws Refusal {
        String id = "`" + operator.id() + "`";
        if (map == null) {
            throw refused("operator " + id + " has no buckets: " + (operator.parallelism() == 1 ? "it has one instance"
                    : "no link deals packets out to it by keys"), null);
        }
        if (operator.type().isSink()) {
            throw refused("operator " + id + " is a sink: what it has begun to write stays in its instance", null);
        }
        if (operator.spec().holdsBack() && operator.spec().pythonFunction() == null) {
            throw refused("operator " + id + ", " + operator.type().withArticle() + ", holds packets back: what follows them "
                    + "would overtake them elsewhere", null);
        }
        if (operator.spec().blocking() != Blocking.NEVER || operator.spec().pythonFunction() != null) {
            throw refused("operator " + id + ", " + operator.type().withArticle() + ", keeps something open outside of the "
                    + "engine, which cannot move", null);
        }
    }

    /** By bucket that is elsewhere, where it is wanted. */
    private static Map<Integer, Integer> wanted(PlannedOperator operator, BucketMap before, String argument) throws Refusal {
        Map<Integer, Integer> to = new TreeMap<>();
        for (Map.Entry<String, JsonNode> each : object(argument).properties()) {
            int bucket = number(each.getKey());
            if (bucket < 0 || bucket >= before.buckets()) {
                throw refused("there is no bucket `" + each.getKey() + "`: there are " + before.buckets() + ", from 0 on",
                        "`buckets` in the graph's settings says how many");
            }
            JsonNode instance = each.getValue();
            if (!instance.isInt() || instance.intValue() < 0 || instance.intValue() >= before.instances()) {
                throw refused("operator `" + operator.id() + "` has no instance " + instance + ": it has " + before.instances()
                        + ", from 0 on", "`most_instances` of the operator says how many there are");
            }
            if (before.owner(bucket) != instance.intValue()) {
                to.put(bucket, instance.intValue());
            }
        }
        return to;
    }

    private static JsonNode object(String argument) throws Refusal {
        try {
            JsonNode read = Json.tree(argument);
            if (read.isObject() && !read.isEmpty()) {
                return read;
            }
        } catch (JsonProcessingException noJson) {
            // said below
        }
        throw refused("`" + argument.strip() + "` does not say which bucket moves where",
                "as in {\"7\": 2}: bucket 7 to instance 2");
    }

    private static int number(String text) {
        return text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
    }

    private static Refusal refused(String message, String hint) {
        return new Refusal(RULE, message, hint);
    }
}
