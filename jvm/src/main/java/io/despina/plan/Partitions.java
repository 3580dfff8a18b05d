package io.despina.plan;

import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.Hash;
import io.despina.expr.Scope;
import io.despina.packet.Packet;
import io.despina.spec.Partition;
import java.util.List;
import java.util.function.ToIntFunction;

/** Decides how a link partitions its packets over instances. */
final class Partitions {
    private final Planning planning;

    Partitions(Planning planning) {
        this.planning = planning;
    }

    /**
     * @param sender the stream at the sending port
     * @param keys   of the receiving port: packets with equal keys must reach one instance
     */
    Partition of(ResolvedLink wire, Stream sender, List<String> keys) {
        PlannedOperator.Instances senders = instances(wire.from().fields());
        PlannedOperator.Instances receivers = instances(wire.to().fields());
        Partition written = wire.fields().isWritten("partition") ? written(wire, sender, keys) : null;
        if (receivers.most() == 1) {
            return senders.most() == 1 ? new Partition.Forward() : new Partition.RoundRobin();
        }
        if (written != null) {
            return written;
        }
        if (!keys.isEmpty()) {
            Place place = wire.link().place();
            Compiled<Hash> hash = planning.expressions().hash(scope(wire, sender), keys, place);
            return hash(keys, hash, true);
        }
        return senders.equals(receivers) ? new Partition.Forward() : new Partition.RoundRobin();
    }

    /** @param key null if it was refused */
    private Partition hash(List<String> by, Compiled<Hash> key, boolean ofReceiver) {
        return new Partition.Hash(by, new CompiledKey(key, ofReceiver), planning.settings().buckets());
    }

    /**
     * The hash of compiled expressions.
     *
     * @param ofReceiver a key that cannot be computed is not the sender's error: the packet goes to some receiver, which computes
     *                   the same key and handles the error by its {@code on_error}
     */
    private record CompiledKey(Compiled<Hash> compiled, boolean ofReceiver) implements Partition.KeyHash {
        @Override
        public void prepare() {
            compiled.prepare();
        }

        @Override
        public ToIntFunction<Packet> function() {
            Hash hash = compiled.instance(0);   // the key does not depend on the instance that computes it
            Packet[] inputs = new Packet[1];
            return packet -> {
                inputs[0] = packet;
                try {
                    return hash.hash(inputs);
                } catch (RuntimeException e) {
                    if (ofReceiver) {
                        return 0;
                    }
                    throw e;
                }
            };
        }
    }

    static PlannedOperator.Instances instances(Values operator) {
        int start = (int) operator.whole("parallelism", 1);
        int most = operator.isWritten("most_instances") ? (int) operator.whole("most_instances", start) : start;
        return new PlannedOperator.Instances(most, start);
    }

    private static Scope scope(ResolvedLink wire, Stream sender) {
        boolean join = wire.toPort().equals("left") || wire.toPort().equals("right");
        return new Scope(List.of(new Scope.Input(join ? wire.toPort() : null, sender.schema())));
    }

    private Partition written(ResolvedLink wire, Stream sender, List<String> keys) {
        PlannedOperator.Instances senders = instances(wire.from().fields());
        PlannedOperator.Instances receivers = instances(wire.to().fields());
        Values partition = wire.fields().fields("partition");
        Place place = wire.fields().place("partition");
        boolean one = senders.most() == 1 && receivers.most() == 1;
        List<Text> by = partition.word().equals("hash") ? partition.texts("by") : List.of();
        if (!keys.isEmpty() && !one && !keys.equals(by.stream().map(Text::value).toList())) {
            planning.diagnostics().error(place, Rule.PARTITION, "`" + wire.to().id() + "` needs packets partitioned by "
                    + String.join(", ", keys), "leave partition out: the engine then partitions by the operator's keys");
            return null;
        }
        switch (partition.word()) {
            case "forward" -> {
                if (!senders.equals(receivers)) {
                    planning.diagnostics().error(place, Rule.PARTITION, "forward needs equal parallelism, but it is "
                            + words(senders) + " to " + words(receivers), "use round_robin, or hash");
                }
                return new Partition.Forward();
            }
            case "round_robin" -> {
                return new Partition.RoundRobin();
            }
            case "least_loaded" -> {
                return new Partition.LeastLoaded();
            }
            case "broadcast" -> {
                return new Partition.Broadcast();
            }
            case "custom" -> {
                if (receivers.start() < receivers.most()) {
                    planning.diagnostics().error(place, Rule.PARTITION, "a class of yours gives packets to all instances of `"
                            + wire.to().id() + "`, and it has more than take packets at the start",
                            "leave `most_instances` out");
                }
                return new Partition.Custom(partition.string("class", ""));
            }
            default -> {
                Compiled<Hash> hash = planning.expressions().hash(scope(wire, sender), Snippet.of(by));
                return hash(by.stream().map(Text::value).toList(), hash, !keys.isEmpty());
            }
        }
    }

    private static String words(PlannedOperator.Instances of) {
        return of.start() == of.most() ? Integer.toString(of.most()) : of.start() + " of " + of.most();
    }
}
