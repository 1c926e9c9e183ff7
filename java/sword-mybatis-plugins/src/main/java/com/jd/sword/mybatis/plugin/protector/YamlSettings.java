package com.jd.sword.mybatis.plugin.protector;

import java.io.Reader;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads YAML as settings: the keys on the way to a value are its name. Values are taken as written, as {@code 123456789012} and
 * {@code 12345e678901} are fingerprints and no numbers; nothing is made of them, so no file can have anything made.
 */
final class YamlSettings {
    private static final int MOST_DEPTH = 32;
    /** Aliases of aliases are more than a file seems to hold. */
    private static final int MOST_VALUES = 100_000;

    private final BiConsumer<String, String> sink;
    private int values;

    private YamlSettings(BiConsumer<String, String> sink) {
        this.sink = sink;
    }

    /**
     * @param sink is told of each value, and of what is merged in after what hides it
     * @throws org.yaml.snakeyaml.error.YAMLException it is no YAML
     * @throws IllegalArgumentException it is too much
     */
    static void read(Reader text, BiConsumer<String, String> sink) {
        YamlSettings settings = new YamlSettings(sink);
        for (Node document : new Yaml(new LoaderOptions()).composeAll(text)) {
            if (document != null && !isOfProfile(document)) {
                settings.walk("", document, 0);
            }
        }
    }

    private void walk(String name, Node node, int depth) {
        if (++values > MOST_VALUES || depth > MOST_DEPTH) {
            throw new IllegalArgumentException("it holds more than " + MOST_VALUES + " values, or they are nested by more than " + MOST_DEPTH);
        }
        if (node instanceof ScalarNode) {
            sink.accept(name, ((ScalarNode) node).getValue());
        } else if (node instanceof SequenceNode) {
            List<Node> items = ((SequenceNode) node).getValue();
            for (int i = 0; i < items.size(); i++) {
                walk(name + "[" + i + "]", items.get(i), depth + 1);
            }
        } else if (node instanceof MappingNode) {
            List<NodeTuple> entries = ((MappingNode) node).getValue();
            Set<String> names = new HashSet<>();
            for (NodeTuple entry : entries) {
                if (!isMerge(entry) && entry.getKeyNode() instanceof ScalarNode) {
                    String key = ((ScalarNode) entry.getKeyNode()).getValue();
                    String full = name.isEmpty() ? key : name + "." + key;
                    if (!names.add(key) && SettingName.isOurs(full)) {
                        throw new IllegalArgumentException("it says `" + full + "` twice");
                    }
                    walk(full, entry.getValueNode(), depth + 1);
                }
            }
            for (NodeTuple entry : entries) {
                if (isMerge(entry)) {
                    merge(name, entry.getValueNode(), depth + 1);
                }
            }
        }
    }

    private void merge(String name, Node node, int depth) {
        if (node instanceof SequenceNode) {
            ((SequenceNode) node).getValue().forEach(each -> walk(name, each, depth));
        } else {
            walk(name, node, depth);
        }
    }

    private static boolean isMerge(NodeTuple entry) {
        return Tag.MERGE.equals(entry.getKeyNode().getTag());
    }

    /** Whether a document holds for some profile, which only Spring knows to be active. */
    private static boolean isOfProfile(Node document) {
        boolean[] found = {false};
        new YamlSettings((name, value) ->
                found[0] |= name.startsWith("spring.config.activate.on-profile") || name.startsWith("spring.profiles")
                        && !name.startsWith("spring.profiles.active") && !name.startsWith("spring.profiles.include")
                        && !name.startsWith("spring.profiles.group") && !name.startsWith("spring.profiles.default")).walk("", document, 0);
        return found[0];
    }
}
