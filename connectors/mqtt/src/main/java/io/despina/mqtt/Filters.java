package io.despina.mqtt;

import java.util.ArrayList;
import java.util.List;

/**
 * Topic filters. A level of them may be {@code {name}}: to the broker that is {@code +}, and what stands there in a topic goes
 * by the name.
 */
final class Filters {
    private static final String ANY = "+";
    private static final String REST = "#";

    /** @param names by level; null where there is none */
    private record Filter(String text, String[] levels, String[] names) {
    }

    private final List<Filter> all = new ArrayList<>();
    private final List<String> names;

    /** @param names of levels, in the order in which {@link #levels} gives them */
    Filters(List<String> written, List<String> names) {
        this.names = List.copyOf(names);
        for (String each : written) {
            String[] levels = each.split("/", -1);
            String[] named = new String[levels.length];
            for (int k = 0; k < levels.length; k++) {
                if (levels[k].startsWith("{") && levels[k].endsWith("}")) {
                    named[k] = levels[k].substring(1, levels[k].length() - 1);
                    levels[k] = ANY;
                }
            }
            all.add(new Filter(String.join("/", levels), levels, named));
        }
    }

    /** As the broker wants them. */
    List<String> texts() {
        return all.stream().map(Filter::text).toList();
    }

    /** What stands in a topic in place of each name; null where the first filter that fits it does not have that. */
    String[] levels(String topic) {
        String[] found = new String[names.size()];
        String[] levels = topic.split("/", -1);
        for (Filter each : all) {
            if (fits(each.levels, levels)) {
                for (int k = 0; k < each.names.length; k++) {
                    if (each.names[k] != null) {
                        found[names.indexOf(each.names[k])] = levels[k];
                    }
                }
                return found;
            }
        }
        return found;
    }

    private static boolean fits(String[] filter, String[] topic) {
        for (int k = 0; k < filter.length; k++) {
            if (filter[k].equals(REST)) {
                return true;
            }
            if (k == topic.length || !filter[k].equals(ANY) && !filter[k].equals(topic[k])) {
                return false;
            }
        }
        return filter.length == topic.length;
    }
}
