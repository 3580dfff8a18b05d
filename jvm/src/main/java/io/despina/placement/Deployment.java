package io.despina.placement;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Descriptor;
import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where a graph is to run.
 *
 * @param file      as the user named it; for messages
 * @param resources in the file's order, at least one
 * @param rules     in the file's order
 */
public record Deployment(String file, List<Resource> resources, List<PlaceRule> rules) {

    /**
     * A process that hosts tasks.
     *
     * @param controlPort   0 for any free one
     * @param memoryBytes   budget of segments, queues and state
     * @param memoryWritten whether the file gives it
     * @param cores         0 for the machine's
     * @param allowClasses  user classes that graphs may load: names, or prefixes ending in {@code .*}
     * @param place         where it stands in the file
     */
    public record Resource(String name, String host, int controlPort, long memoryBytes, boolean memoryWritten, int cores,
            List<String> allowClasses, Place place) {

        public Resource {
            allowClasses = List.copyOf(allowClasses);
        }

        public boolean allows(String className) {
            return allowClasses.stream().anyMatch(a -> a.equals(className)
                    || a.endsWith(".*") && className.startsWith(a.substring(0, a.length() - 1)));
        }
    }

    /**
     * Instance i of an operator runs in the i-th of these resources, modulo their number.
     *
     * @param operator  an id, or {@code *} for all that no other rule names
     * @param place     where the rule stands
     */
    public record PlaceRule(String operator, List<String> resources, Place place) {

        public PlaceRule {
            resources = List.copyOf(resources);
        }
    }

    private static final long DEFAULT_MEMORY = 256L << 20;

    public Deployment {
        resources = List.copyOf(resources);
        rules = List.copyOf(rules);
    }

    /** The resources' names, in the file's order. */
    public List<String> names() {
        return resources.stream().map(Resource::name).toList();
    }

    /** The resources of an operator's instances by its own rule, else by that of {@code *}; null without either. */
    public List<String> placed(String operator) {
        return Stream.of(operator, "*").flatMap(name -> rules.stream().filter(r -> r.operator().equals(name))).findFirst()
                .map(PlaceRule::resources).orElse(null);
    }

    /** The resource in the coordinator's own JVM, where there is no deployment file. */
    public static final String LOCAL = "local";

    /** Whether it was read from a file: its resources are processes of their own then. */
    public boolean isWritten() {
        return !file.isEmpty();
    }

    /** Everything in one resource of that name. */
    public static Deployment single(String name) {
        return new Deployment("", List.of(new Resource(name, "127.0.0.1", 0, DEFAULT_MEMORY, false, 0, List.of(),
                new Place(0, 1, 1, ""))), List.of());
    }

    /** Reads a deployment file; null if it has errors. Operator names are checked by {@link Placement#place}. */
    public static Checked<Deployment> load(String text, String fileName) {
        Checked<Values> read = Descriptor.loadDeployment(text, fileName);
        if (read.value() == null) {
            return new Checked<>(null, read.diagnostics());
        }
        Diagnostics diagnostics = new Diagnostics(fileName);
        List<Resource> resources = new ArrayList<>();
        read.value().map("resources").forEach((name, v) -> resources.add(new Resource(name, v.string("host", ""),
                (int) v.whole("control_port", 0), v.whole("memory_bytes", 0), v.isWritten("memory_bytes"),
                (int) v.whole("cores", 0), v.texts("allow_classes").stream().map(Text::value).toList(), v.place())));
        if (resources.isEmpty()) {
            diagnostics.error(read.value().place("resources"), Rule.NO_RESOURCE, "a deployment without resources",
                    "name at least one, or run without a deployment");
        }
        List<String> names = resources.stream().map(Resource::name).toList();
        List<PlaceRule> rules = new ArrayList<>();
        read.value().lists("place").forEach((operator, places) -> {
            places.stream().filter(p -> !names.contains(p.value())).forEach(p -> diagnostics.error(p.place(),
                    Rule.UNKNOWN_RESOURCE, "there is no resource `" + p.value() + "`", Nearest.hint(p.value(), names)));
            rules.add(new PlaceRule(operator, places.stream().map(Text::value).toList(), places.get(0).place()));
        });
        return Checked.of(new Deployment(fileName, resources, rules), diagnostics);
    }
}
