import { defineCollection } from "astro:content";
import { docsSchema } from "@astrojs/starlight/schema";
import { glob } from "astro/loaders";

/** The pages that site/build.ts wrote. Their ids keep the dots of event names. */
export const collections = {
  docs: defineCollection({
    loader: glob({
      base: process.env["TXFEED_SITE_PAGES"] ?? "",
      pattern: "**/*.md",
      generateId: ({ entry }) => entry.replace(/(^|\/)index\.md$|\.md$/, "") || "index",
    }),
    schema: docsSchema(),
  }),
};
