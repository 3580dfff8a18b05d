package io.despina.placement;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** What the names in a deployment's {@code place} stand for: a resource, some alike, or all with a label. */
final class ResourceNames {
    private static final String LABEL = "@";

    private final Map<String, List<String>> meant = new LinkedHashMap<>();

    /** Takes a resource of the file. @return the names of those that it stands for: its own, or so many alike */
    List<String> add(String name, Values fields) {
        List<String> all = !fields.isWritten("count") ? List.of(name)
                : IntStream.range(0, (int) fields.whole("count", 1)).mapToObj(k -> name + "-" + k).toList();
        if (fields.isWritten("count")) {
            meant.put(name, all);
        }
        fields.texts("labels").forEach(label -> meant.computeIfAbsent(LABEL + label.value(), none -> new ArrayList<>())
                .addAll(all));
        return all;
    }

    /** Whether the file has a resource, or some alike, of that name. */
    boolean has(String name, List<String> resources) {
        return meant.containsKey(name) || resources.contains(name);
    }

    /**
     * The resources that a rule names, in its order: one as often as the rule does by its own name, and those of a label, or
     * alike, unless they are there. Reports names that stand for none.
     *
     * @param resources all names of the deployment
     */
    List<String> of(List<Text> places, List<String> resources, Diagnostics diagnostics) {
        List<String> found = new ArrayList<>();
        Set<String> there = new HashSet<>();
        for (Text place : places) {
            String name = place.value();
            if (meant.containsKey(name)) {
                meant.get(name).stream().filter(there::add).forEach(found::add);
            } else if (resources.contains(name)) {
                found.add(name);
                there.add(name);
            } else {
                boolean label = name.startsWith(LABEL);
                List<String> known = new ArrayList<>(label ? List.of() : resources);
                meant.keySet().stream().filter(each -> each.startsWith(LABEL) == label).forEach(known::add);
                diagnostics.error(place.place(), Rule.UNKNOWN_RESOURCE, label ? "no resource has the label `"
                        + name.substring(LABEL.length()) + "`" : "there is no resource `" + name + "`",
                        Nearest.hint(name, known));
            }
        }
        return List.copyOf(found);
    }
}
