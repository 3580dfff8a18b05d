package io.despina.placement;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Descriptor;
import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the machines of a deployment can do, and what is between them: the fields {@code machine} and {@code network}.
 *
 * @param machines one of each resource that is there, in the deployment's order
 * @param ways     from each of them to each, alike in both directions; null from one to itself
 */
public record Park(List<Machine> machines, List<List<Way>> ways) {
    private static final String ALL = "*";
    /** Of each two there is a way, and a search looks at all of them again and again. */
    private static final int MOST = 256;
    private static final double MEGABIT = 1e6 / Byte.SIZE;

    public Park {
        machines = List.copyOf(machines);
    }

    /**
     * What a resource has of its machine.
     *
     * @param cpus     processors that it may keep busy
     * @param slowness how many times as long as the machine of {@link Loops#REFERENCE} it takes for its work
     */
    public record Machine(String resource, double cpus, double slowness) {
    }

    /**
     * From one resource to another.
     *
     * @param bytesPerS       that it can carry in each direction
     * @param roundTripMillis there and back
     */
    public record Way(double bytesPerS, double roundTripMillis) {
        /** As within a machine, or where nobody has said otherwise. */
        static final Way OPEN = new Way(Double.POSITIVE_INFINITY, 0.2);
    }

    /** Of two different machines. */
    Way way(int from, int to) {
        return ways.get(from).get(to);
    }

    /** The machine of that resource; -1 if there is none. */
    public int indexOf(String resource) {
        for (int k = 0; k < machines.size(); k++) {
            if (machines.get(k).resource().equals(resource)) {
                return k;
            }
        }
        return -1;
    }

    /** What a resource has measured of its machine: processors that it may keep busy, and how long its loops take. */
    public record Found(double cpus, Loops loops) {
    }

    /** What is between two resources, alike in both directions. */
    public record FoundWay(String from, String to, Way way) {
    }

    /** What resources have measured. @param machines by resource */
    public record Measured(Map<String, Found> machines, List<FoundWay> ways) {
        static final Measured NOTHING = new Measured(Map.of(), List.of());

        public Measured {
            machines = Map.copyOf(machines);
            ways = List.copyOf(ways);
        }
    }

    /** By what the file says alone. */
    public static Checked<Park> load(Deployment deployment, String text) {
        return load(deployment, text, Measured.NOTHING);
    }

    /**
     * Reads what a deployment file says of machines.
     *
     * @param deployment of that text, which is sound
     * @param measured   counts where the file says nothing
     */
    public static Checked<Park> load(Deployment deployment, String text, Measured measured) {
        Values written = Descriptor.loadDeployment(text, deployment.file()).value();
        Diagnostics diagnostics = new Diagnostics(deployment.file());
        ResourceNames named = new ResourceNames();
        Set<String> present = deployment.present().stream().map(Deployment.Resource::name).collect(Collectors.toSet());
        List<Machine> machines = new ArrayList<>();
        written.map("resources").forEach((name, fields) -> {
            List<String> all = named.add(name, fields).stream().filter(present::contains).toList();
            if (!all.isEmpty() && !measured.machines.containsKey(all.get(0))) {
                checkKnown(name, fields, diagnostics);
            }
            all.forEach(each -> machines.add(machine(each, fields, measured.machines.get(each))));
        });
        if (machines.size() > MOST) {
            diagnostics.error(written.place("resources"), Rule.OUT_OF_RANGE, "operators are to be placed on " + machines.size()
                    + " resources", "it may be " + MOST + " at most; leave out some that are like others");
            return Checked.of(null, diagnostics);
        }
        List<List<Way>> ways = new ArrayList<>();
        machines.forEach(each -> ways.add(new ArrayList<>(Collections.nCopies(machines.size(), null))));
        Park park = new Park(machines, ways);
        for (Values network : written.list("network")) {
            park.connect(network, deployment.names(), named, diagnostics);
        }
        measured.ways.forEach(each -> park.put(park.indexOf(each.from), park.indexOf(each.to), each.way));
        for (int from = 0; from < machines.size(); from++) {
            for (int to = 0; to < machines.size(); to++) {
                if (from != to && park.way(from, to) == null) {
                    ways.get(from).set(to, Way.OPEN);
                }
            }
        }
        return Checked.of(park, diagnostics);
    }

    private static void checkKnown(String name, Values fields, Diagnostics diagnostics) {
        if (!fields.isWritten("machine") && !fields.isWritten("cpus") && !fields.isWritten("cores")) {
            diagnostics.error(fields.place(), Rule.MISSING_FIELD, "nothing says how many processors resource `" + name + "` has",
                    "add \"machine\": `despina doctor --machine --measure`, on its machine, prints it");
        }
    }

    /** By what is said of it and of its threads. @param found null if it has measured nothing */
    private static Machine machine(String name, Values fields, Found found) {
        Values machine = fields.fields("machine");
        double threads = fields.isWritten("cpus") ? Cpus.parse(fields.text("cpus").value()).count()
                : fields.whole("cores", Long.MAX_VALUE);
        if (machine != null) {
            return new Machine(name, Math.min(threads, machine.real("cpus", 0)), Loops.slowness(machine.fields("loops_ns")));
        }
        return found == null ? new Machine(name, threads, 1)
                : new Machine(name, Math.min(threads, found.cpus()), found.loops().times(Loops.REFERENCE));
    }

    private void connect(Values network, List<String> names, ResourceNames named, Diagnostics diagnostics) {
        List<Text> ends = network.texts("between");
        if (ends.size() != 2) {
            diagnostics.error(network.place("between"), Rule.OUT_OF_RANGE, "`between` has " + ends.size()
                    + " names, and a way has two ends", "name two resources, or two labels: [\"edge\", \"*\"]");
            return;
        }
        List<String> ones = end(ends.get(0), names, named, diagnostics);
        List<String> others = end(ends.get(1), names, named, diagnostics);
        Way way = new Way(network.real("mbit_per_s", 0) * MEGABIT, network.real("round_trip_ms", 0));
        int pairs = 0;
        int first = 0;
        for (String one : ones) {
            for (String other : others) {
                pairs += one.equals(other) ? 0 : 1;
                first += !one.equals(other) && put(indexOf(one), indexOf(other), way) ? 1 : 0;
            }
        }
        boolean known = !ones.isEmpty() && !others.isEmpty();
        if (known && first == 0) {
            String both = "`" + ends.get(0).value() + "` and `" + ends.get(1).value() + "`";
            diagnostics.error(network.place("between"), Rule.EXCLUSIVE, pairs == 0
                    ? both + " are one resource: nothing is between" : "what is between " + both + " was said above",
                    pairs == 0 ? "name two" : "leave one of them out: the first that fits counts");
        }
    }

    /** @return whether it is the first between them */
    private boolean put(int one, int other, Way way) {
        if (one < 0 || other < 0) {
            return true;        // one of them is not there yet
        }
        if (way(one, other) != null) {
            return false;
        }
        ways.get(one).set(other, way);
        ways.get(other).set(one, way);
        return true;
    }

    private static List<String> end(Text written, List<String> names, ResourceNames named, Diagnostics diagnostics) {
        return written.value().equals(ALL) ? names : named.of(List.of(written), names, diagnostics);
    }
}
