package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.members.Environment;
import io.despina.control.protocol.Measurement;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.spec.Balance;
import io.despina.spec.BucketMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Looks now and then at what the instances of an attempt's operators have to do, and moves buckets as {@link BalancePlan} says:
 * when two looks in a row find that worth it, and take from the same instance. What has moved rests for some looks, so nothing
 * moves to and fro. Guarded by the lock of the attempt.
 */
final class BucketBalance {
    /** So many looks a bucket stays where it has moved. */
    private static final int RESTS = 6;
    /** Fewer packets in a look say nothing. */
    private static final long LEAST_PACKETS = 200;

    private final JobAttempt attempt;
    private final Environment environment;
    private final Balance balance;
    private final BusyThreads threads;
    private final Map<String, Seen> seen = new HashMap<>();
    private int looks;
    private long lastNanos;

    /** What is known of an operator. */
    private static final class Seen {
        private List<Long> packets = List.of();
        /** The instances from which the last look would have taken buckets. */
        private Set<Integer> wanted = Set.of();
        /** By bucket: the look at which it moved. */
        private final Map<Integer, Integer> moved = new HashMap<>();

        Set<Integer> resting(int look) {
            return moved.entrySet().stream().filter(each -> look - each.getValue() < RESTS).map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        }
    }

    private BucketBalance(JobAttempt attempt, Environment environment, Balance balance) {
        this.attempt = attempt;
        this.environment = environment;
        this.balance = balance;
        threads = new BusyThreads(attempt.planned());
    }

    /** The attempt runs. Does nothing if its graph does not want it. */
    static void begin(JobAttempt attempt, Environment environment) {
        Balance balance = attempt.planned().plan().settings().keys().balance();
        if (balance.isOn()) {
            new BucketBalance(attempt, environment, balance).askLater();
        }
    }

    private void askLater() {
        Runnable ask = () -> attempt.count().thenRun(() -> attempt.locked(this::counted));
        environment.timer().schedule(ask, balance.everyMillis(), TimeUnit.MILLISECONDS);
    }

    private void counted() {
        if (attempt.ended().isDone()) {
            return;
        }
        long now = environment.clock().getAsLong();
        Collection<Measurement> all = attempt.status().measurements().values();
        looks++;
        threads.look(attempt.status().measurements(), now - lastNanos);
        lastNanos = now;
        attempt.planned().plan().buckets().keySet().forEach(operator -> look(operator, all));
        askLater();
    }

    private void look(String operator, Collection<Measurement> all) {
        BucketMap map = attempt.exchange().buckets().map(operator);
        Seen last = seen.computeIfAbsent(operator, any -> new Seen());
        List<Long> packets = packets(operator, all, map.buckets());
        List<Long> since = new ArrayList<>();
        for (int b = 0; b < last.packets.size(); b++) {
            since.add(packets.get(b) - last.packets.get(b));
        }
        last.packets = packets;
        BalancePlan.Busy busy = threads.of(operator, map.instances());
        if (busy == null || since.stream().mapToLong(Long::longValue).sum() < LEAST_PACKETS) {
            last.wanted = Set.of();
            return;
        }
        Map<Integer, Integer> to = BalancePlan.of(new BalancePlan.Load(map, busy, since, stateBytes(operator, all),
                last.resting(looks)), balance.worth());
        Set<Integer> from = to.keySet().stream().map(map::owner).collect(Collectors.toSet());
        boolean agrees = !Collections.disjoint(from, last.wanted);
        if (agrees) {
            move(operator, to, last);
        }
        last.wanted = agrees ? Set.of() : from;
    }

    private void move(String operator, Map<Integer, Integer> to, Seen last) {
        ObjectNode argument = Json.object();
        to.forEach((bucket, instance) -> argument.put(Integer.toString(bucket), instance));
        try {
            attempt.control(new Controls.Wanted("move", operator, Json.text(argument)));
            to.keySet().forEach(bucket -> last.moved.put(bucket, looks));
        } catch (Refusal notNow) {
            // it ends, another move is under way, or the operator cannot: the next look tries again
        }
    }

    private static List<Long> packets(String operator, Collection<Measurement> all, int buckets) {
        long[] sums = new long[buckets];
        for (Measurement each : all) {
            List<Long> counted = each.moment().buckets().getOrDefault(operator, List.of());
            for (int b = 0; b < counted.size(); b++) {
                sums[b] += counted.get(b);
            }
        }
        return Arrays.stream(sums).boxed().toList();
    }

    private static long stateBytes(String operator, Collection<Measurement> all) {
        return all.stream().map(each -> each.job().operators().get(operator)).filter(counted -> counted != null)
                .mapToLong(counted -> counted.state().bytes()).sum();
    }
}
