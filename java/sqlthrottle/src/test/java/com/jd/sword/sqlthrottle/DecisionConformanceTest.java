package com.jd.sword.sqlthrottle;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

class DecisionConformanceTest {
    @Test
    void everyScriptHolds() throws Exception {
        ConformanceFiles.runEvery("decision", "scripts", script -> {
            ConformanceFiles.only(script, "id", "about", "wall", "provider", "rules", "steps");
            try (ScriptRun run = new ScriptRun(script)) {
                int number = 0;
                for (JsonNode step : script.get("steps")) {
                    number++;
                    String fault = run.step(step);
                    if (fault != null) {
                        return "step " + number + ": " + fault;
                    }
                }
            }
            return null;
        });
    }
}
