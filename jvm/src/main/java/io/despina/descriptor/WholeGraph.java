package io.despina.descriptor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A graph whose parts are written out.
 *
 * @param text   in canonical form
 * @param places where what the text has is in the graph's own file, by JSON pointer in the text: operators and links. What comes
 *               out of a part is where the part is used
 */
public record WholeGraph(String text, Map<String, Place> places) {

    static WholeGraph of(Node.Obj root, Expansion expansion, GraphFormat format) {
        Map<String, Place> places = new LinkedHashMap<>();
        Map<String, Node> operators = new LinkedHashMap<>();
        for (Expansion.Operator each : expansion.operators()) {
            places.put(Place.child("/operators", each.id()), each.node().place().inGraph());
            operators.put(each.id(), new Substitution(each.given()).of(each.node(), format.operator()));
        }
        List<Node> links = new ArrayList<>();
        for (Expansion.Link each : expansion.links()) {
            if (each.node() != null) {
                places.put("/links/" + links.size(), each.place().inGraph());
                links.add(new Substitution(each.given()).of(each.node(), CommonFields.LINK));
            }
        }
        Map<String, Node> members = new LinkedHashMap<>(root.members());
        members.remove("parts");
        members.computeIfPresent("operators", (name, node) -> new Node.Obj(node.place(), operators));
        members.computeIfPresent("links", (name, node) -> new Node.Arr(node.place(), links));
        return new WholeGraph(JsonWriter.write(new Node.Obj(root.place(), members), format.graph()), places);
    }
}
