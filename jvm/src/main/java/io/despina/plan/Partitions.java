package io.despina.plan;

import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.Hash;
import io.despina.expr.Scope;
import java.util.List;

/** Decides how a link deals its packets out to instances. */
final class Partitions {
    private final Planning planning;

    Partitions(Planning planning) {
        this.planning = planning;
    }

    /**
     * @param sender the stream at the sending port
     * @param keys   of the receiving port: packets with equal keys must reach one instance
     */
    PartitionSpec of(Wire wire, Stream sender, List<String> keys) {
        int senders = parallelism(wire.from().fields());
        int receivers = parallelism(wire.to().fields());
        PartitionSpec written = wire.fields().isWritten("partition") ? written(wire, sender, keys, senders, receivers) : null;
        if (receivers == 1) {
            return senders == 1 ? new PartitionSpec.Forward() : new PartitionSpec.RoundRobin();
        }
        if (written != null) {
            return written;
        }
        if (!keys.isEmpty()) {
            Place place = wire.link().place();
            Compiled<Hash> hash = planning.expressions().hash(scope(wire, sender), keys, place);
            return new PartitionSpec.Hash(keys, ofAnyPacket(hash));
        }
        return senders == receivers ? new PartitionSpec.Forward() : new PartitionSpec.RoundRobin();
    }

    /**
     * A key that cannot be worked out is no error of the sender: the packet goes to some receiver, which works out the same key
     * and has an {@code on_error} for it.
     */
    private static Compiled<Hash> ofAnyPacket(Compiled<Hash> hash) {
        return hash == null ? null : new Compiled<>() {
            @Override
            public void prepare() {
                hash.prepare();
            }

            @Override
            public Hash instance(int partition) {
                Hash exact = hash.instance(partition);
                return inputs -> {
                    try {
                        return exact.hash(inputs);
                    } catch (RuntimeException leftToTheReceiver) {
                        return 0;
                    }
                };
            }
        };
    }

    static int parallelism(Values operator) {
        return (int) operator.whole("parallelism", 1);
    }

    private static Scope scope(Wire wire, Stream sender) {
        boolean join = wire.toPort().equals("left") || wire.toPort().equals("right");
        return new Scope(List.of(new Scope.Input(join ? wire.toPort() : null, sender.schema())));
    }

    private PartitionSpec written(Wire wire, Stream sender, List<String> keys, int senders, int receivers) {
        Values partition = wire.fields().fields("partition");
        Place place = wire.fields().place("partition");
        boolean one = senders == 1 && receivers == 1;
        List<Text> by = partition.word().equals("hash") ? partition.texts("by") : List.of();
        if (!keys.isEmpty() && !one && !keys.equals(by.stream().map(Text::value).toList())) {
            planning.diagnostics().error(place, Rule.PARTITION, "`" + wire.to().id() + "` needs its packets by "
                    + String.join(", ", keys), "leave partition out: such an operator gets hash by its keys by itself");
            return null;
        }
        switch (partition.word()) {
            case "forward" -> {
                if (senders != receivers) {
                    planning.diagnostics().error(place, Rule.PARTITION, "forward needs equal parallelism, and it is " + senders
                            + " to " + receivers, "use round_robin, or hash");
                }
                return new PartitionSpec.Forward();
            }
            case "round_robin" -> {
                return new PartitionSpec.RoundRobin();
            }
            case "least_loaded" -> {
                return new PartitionSpec.LeastLoaded();
            }
            case "broadcast" -> {
                return new PartitionSpec.Broadcast();
            }
            case "custom" -> {
                return new PartitionSpec.Custom(partition.string("class", ""));
            }
            default -> {
                Compiled<Hash> hash = planning.expressions().hash(scope(wire, sender), Snippet.of(by));
                return new PartitionSpec.Hash(by.stream().map(Text::value).toList(), keys.isEmpty() ? hash : ofAnyPacket(hash));
            }
        }
    }
}
